"""Chat sessions: a conversation graph that branches, forks and resumes, as plain JSON values."""
