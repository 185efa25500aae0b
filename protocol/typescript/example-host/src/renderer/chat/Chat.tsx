import type { ChatActivity, ChatMessage, PageNode } from "@graph-sidecar/client/browser";
import { useEffect, useRef, useState } from "react";
import { useActions, useView } from "../model/hooks.js";
import { Branches } from "./Branches.js";

const SUGGESTIONS = ["Put a frame around it", "Make it soft and dreamy", "Tidy the names up"];

export function Chat() {
  const { chat } = useView();
  const actions = useActions();
  const end = useRef<HTMLDivElement>(null);
  const [editing, edit] = useState<string | null>(null);
  const last = chat.messages.at(-1);
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [chat.messages.length, last?.content, chat.activities.length]);
  const working = chat.session.activeRun !== null;
  const nodes = new Map(chat.nodes.map((node) => [node.messageId, node]));
  return (
    <aside className="chat" aria-label="Assistant">
      <header>
        <h2>{chat.session.title ?? "Assistant"}</h2>
        <Branches />
      </header>
      <div className="messages">
        {chat.messages.length === 0 && <Welcome disabled={working} />}
        {chat.messages.map((message) =>
          message.role === "user" ? (
            <Prompt
              key={message.id}
              message={message}
              node={nodes.get(message.id)}
              disabled={working}
              editing={editing === message.id}
              edit={edit}
            />
          ) : (
            <Reply key={message.id} message={message} activities={activitiesOf(message, chat.activities)} />
          ),
        )}
        <div ref={end} />
      </div>
      <Composer disabled={working} send={(text) => actions.prompt(text)} />
    </aside>
  );
}

function Welcome({ disabled }: { disabled: boolean }) {
  const actions = useActions();
  return (
    <div className="welcome">
      <p>Ask for a change. The assistant works on the same graph as you, step by step.</p>
      {SUGGESTIONS.map((text) => (
        <button key={text} type="button" disabled={disabled} onClick={() => void actions.prompt(text)}>
          {text}
        </button>
      ))}
    </div>
  );
}

function Prompt(props: {
  readonly message: ChatMessage;
  readonly node: PageNode | undefined;
  readonly disabled: boolean;
  readonly editing: boolean;
  readonly edit: (messageId: string | null) => void;
}) {
  const { message, node, disabled, editing, edit } = props;
  const actions = useActions();
  if (editing) {
    const send = async (text: string) => {
      edit(null);
      return actions.prompt(text, message.id);
    };
    return <Composer disabled={disabled} send={send} text={message.content ?? ""} onCancel={() => edit(null)} />;
  }
  return (
    <article className="message user" data-testid="prompt">
      <p>{message.content}</p>
      <footer>
        <Versions node={node} messageId={message.id} />
        <button type="button" disabled={disabled} onClick={() => edit(message.id)}>
          Edit
        </button>
        <button
          type="button"
          disabled={disabled || !(node?.restorable ?? false)}
          title="Take the graph and this chat back to before this prompt"
          onClick={() => void actions.restoreToMessage(message.id)}
        >
          Back to here
        </button>
      </footer>
    </article>
  );
}

/** Where a prompt was edited: one version a branch. */
function Versions({ node, messageId }: { node: PageNode | undefined; messageId: string }) {
  const actions = useActions();
  if (node === undefined || node.versions.length < 2) return null;
  const at = node.versions.findIndex((version) => version.messageId === messageId);
  const go = (index: number) => {
    const version = node.versions[index];
    if (version !== undefined) void actions.selectBranch(version.branchId);
  };
  return (
    <span className="versions" data-testid="versions">
      <button type="button" aria-label="Earlier version" disabled={at <= 0} onClick={() => go(at - 1)}>
        ‹
      </button>
      {at + 1} / {node.versions.length}
      <button
        type="button"
        aria-label="Later version"
        disabled={at >= node.versions.length - 1}
        onClick={() => go(at + 1)}
      >
        ›
      </button>
    </span>
  );
}

function Reply({ message, activities }: { message: ChatMessage; activities: readonly ChatActivity[] }) {
  const paragraphs = (message.content ?? "").split(/\n{2,}/).filter((text) => text.trim() !== "");
  return (
    <article className={`message agent ${message.status ?? ""}`} data-testid="reply">
      {paragraphs.map((text, index) => (
        // Paragraphs only ever grow at the end.
        <p key={index}>{text}</p>
      ))}
      {activities.length > 0 && (
        <ul className="activities">
          {activities.map((activity) => (
            <li key={activity.id} className={activity.status}>
              {activity.title}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function activitiesOf(message: ChatMessage, all: readonly ChatActivity[]): readonly ChatActivity[] {
  return all.filter(({ promptMessageId }) => promptMessageId === message.responseToMessageId);
}

function Composer(props: {
  readonly disabled: boolean;
  readonly send: (text: string) => Promise<boolean>;
  readonly text?: string;
  readonly onCancel?: () => void;
}) {
  const { disabled, send, onCancel } = props;
  const [text, setText] = useState(props.text ?? "");
  const submit = async () => {
    const sent = text.trim();
    if (sent === "" || disabled) return;
    setText("");
    if (!(await send(sent))) setText(sent);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <textarea
        aria-label={onCancel === undefined ? "Message" : "Edited message"}
        rows={2}
        value={text}
        placeholder={disabled ? "The assistant is at work …" : "Ask for a change"}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            void submit();
          }
          if (event.key === "Escape") onCancel?.();
        }}
      />
      <button type="submit" className="primary" disabled={disabled || text.trim() === ""}>
        Send
      </button>
    </form>
  );
}
