"""Chat sessions: a conversation graph that branches, forks and resumes, as plain JSON values.

Two forms of the same rules. Whole-session functions (`apply`, `materialize`, `validation`,
`branching` and what they stand on) take and give session JSON. `session_graph` keeps one session in
memory with indexes, and `session_commands`, `run_events` and `run_end` edit it at the cost of what
they touch; `reading` pages through it. Tests drive both with the same batches.

From outside: `session_shape` checks a session, `sanitize` and `payloads` commands, and `outcomes`
tells how a refusal is answered. Section numbers in docstrings are those of the session format.
"""
