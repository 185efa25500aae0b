// How a typed request is asked for, wherever the answer comes from.

import type { Requests } from "./types.js";

export type Method = keyof Requests;
export type Params<M extends Method> = Requests[M]["params"];
export type Result<M extends Method> = Requests[M]["result"];

/** A progress report of a long request (LSP's work done progress). */
export interface Progress {
  readonly kind: "begin" | "report" | "end";
  readonly message?: string;
  readonly percentage?: number;
}

export interface RequestOptions {
  /** Aborting cancels the request; a commit that began is never half done. */
  readonly signal?: AbortSignal;
  /** Reports of checkDatabase and backupDatabase. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What helpers need of a client; a renderer's bridge can have the same shape. */
export interface Requester {
  request<M extends Method>(
    method: M,
    params: Params<M>,
    options?: RequestOptions,
  ): Promise<Result<M>>;
}
