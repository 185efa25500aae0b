// The sidecar's methods over whatever connection the editor's client library holds.

import type { CommitAnswer, Payload, Projection, Requests } from "@graph-sidecar/client" with { "resolution-mode": "import" };

/** LanguageClient, or a bare protocol connection in the tests. */
export interface Connection {
  sendRequest<R>(method: string, params: object): Promise<R>;
}

export class Sidecar {
  constructor(private readonly connection: Connection) {}

  request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
  ): Promise<Requests[M]["result"]> {
    return this.connection.sendRequest(method, params);
  }

  project(projectId: string): Promise<Projection> {
    return this.request("getProject", { projectId });
  }

  /** Commit as the person; null where it landed, else the sentence for the person. */
  async commit(projectId: string, payload: Payload): Promise<string | null> {
    const answer = await this.request("commitCommand", {
      ...(await this.#command(projectId)),
      actor: "manual",
      runId: null,
      payload,
    });
    return complaintOf(answer);
  }

  async step(method: "undo" | "redo", projectId: string): Promise<string | null> {
    return complaintOf(await this.request(method, await this.#command(projectId)));
  }

  async #command(projectId: string) {
    const { revisionId } = await this.request("getProject", { projectId, projection: "none" });
    const actionId = globalThis.crypto.randomUUID();
    return { projectId, actionId, expectedRevisionId: revisionId, projection: "none" as const };
  }
}

function complaintOf(answer: CommitAnswer): string | null {
  return answer.reason?.message ?? null;
}
