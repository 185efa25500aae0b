// A host's copy of a project when fetches, answers and notifications cross: in every order that
// they may come in, the copy ends at the newest version, and fetches no more than it must.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ProjectMirror, type CommitAnswer, type Followed, type ProjectChanged } from "../src/index.js";
import type { Change } from "../src/types.js";

interface Asked {
  readonly method: string;
  readonly params: { readonly expectedRevisionId?: string };
  readonly answer: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

/** What a mirror follows, with every answer held back until the test gives it. */
class Desk implements Followed {
  readonly asked: Asked[] = [];
  fetches = 0;
  listeners = 0;
  tell: (change: ProjectChanged) => void = () => {};
  become: (state: { readonly name: string }) => void = () => {};

  request(method: string, params: object): Promise<never> {
    if (method === "getProject") this.fetches += 1;
    return new Promise((answer, fail) => this.asked.push({ method, params, answer: answer as never, fail }));
  }

  on(_: string, listener: (change: ProjectChanged) => void): () => void {
    this.tell = listener;
    return this.#listening();
  }

  onState(listener: (state: { readonly name: string }) => void): () => void {
    this.become = listener;
    return this.#listening();
  }

  #listening(): () => void {
    this.listeners += 1;
    return () => void (this.listeners -= 1);
  }

  /** Answer the oldest request that waits. */
  async give(value: unknown): Promise<void> {
    const asked = this.asked.shift() ?? assert.fail("nothing was asked");
    if (value instanceof Error) asked.fail(value);
    else asked.answer(value);
    await turn();
  }
}

function projection(version: number, projectId = "p") {
  return {
    projectId,
    title: `title ${version}`,
    revisionId: `r${version}`,
    revisionNumber: version,
    document: null,
    components: [],
    graph: { nodes: [], edges: [], groups: [], subgraphs: [] },
    openRun: null,
    undo: null,
    redo: null,
  };
}

function steps(from: number, to: number): Change[] {
  return [{ kind: "title", scope: null, id: null, before: `title ${from}`, after: `title ${to}` }];
}

function news(from: number, to: number, more: Partial<ProjectChanged> = {}): ProjectChanged {
  return {
    projectId: "p",
    fromRevisionId: `r${from}`,
    revisionId: `r${to}`,
    actionId: null,
    actor: "manual",
    runId: null,
    changes: steps(from, to),
    origin: "self",
    ...more,
  };
}

function answer(from: number, to: number, more: object = {}): CommitAnswer {
  const { document: _, components: __, graph: ___, ...short } = projection(to);
  return {
    status: "applied",
    actionId: "a",
    revisionId: `r${to}`,
    changed: true,
    reason: null,
    projection: short,
    changes: steps(from, to),
    ...more,
  } as unknown as CommitAnswer;
}

async function opened(desk: Desk): Promise<ProjectMirror> {
  const opening = ProjectMirror.open(desk, "p");
  await desk.give(projection(1));
  return opening;
}

function held(mirror: ProjectMirror): string | undefined {
  assert.equal(mirror.state?.title, mirror.state?.revisionId.replace("r", "title "));
  return mirror.state?.revisionId;
}

test("notifications of what answers brought change nothing and fetch nothing, however late", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const commands = [mirror.send("undo", {}), mirror.send("undo", {})];
  await turn();
  assert.deepEqual(desk.asked.map(({ params }) => params.expectedRevisionId), ["r1"]);
  await desk.give(answer(1, 2));
  assert.deepEqual(desk.asked.map(({ params }) => params.expectedRevisionId), ["r2"]);
  await desk.give(answer(2, 3));
  await Promise.all(commands);

  desk.tell(news(1, 2));
  desk.tell(news(2, 3));
  await turn();
  assert.equal(held(mirror), "r3");
  desk.tell(news(3, 4));
  await turn();

  assert.equal(held(mirror), "r4");
  assert.equal(desk.fetches, 1);
});

test("a fetch that was older than a notification is made again", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const fetching = mirror.fetch();
  const told = mirror.take(news(1, 2));

  await desk.give(projection(1));
  assert.equal(held(mirror), "r1");
  await desk.give(projection(2));

  assert.equal((await fetching).revisionId, "r2");
  await told;
  assert.equal(held(mirror), "r2");
  assert.equal(desk.fetches, 3);
});

test("who takes a notification waits until it is shown", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const fetching = mirror.fetch();
  let isShown = false;
  const told = mirror.take(news(1, 2)).then(() => (isShown = true));

  await turn();
  assert.equal(isShown, false);
  await desk.give(projection(2));
  await desk.give(projection(2));

  await Promise.all([fetching, told]);
  assert.equal(held(mirror), "r2");
});

test("a notification of the version that a fetch brought is nothing new", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const fetching = mirror.fetch();
  await desk.give(projection(2));
  await fetching;

  desk.tell(news(1, 2));
  await turn();

  assert.equal(held(mirror), "r2");
  assert.equal(desk.fetches, 2);
});

test("what does not follow on what is held, or has no changes, is fetched", async () => {
  for (const change of [
    news(2, 3),
    news(1, 3, { changes: null }),
    news(1, 3, { fromRevisionId: null }),
    news(1, 3, { changes: [{ kind: "node", scope: null, id: "x", before: null, after: null } as never] }),
  ]) {
    const desk = new Desk();
    const mirror = await opened(desk);

    const told = mirror.take(change);
    await turn();
    assert.equal(held(mirror), "r1");
    await desk.give(projection(3));
    await told;

    assert.equal(held(mirror), "r3");
    assert.equal(desk.fetches, 2);
  }
});

test("an answer whose fetch failed leaves the notification to be followed", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const fetching = mirror.fetch().catch((error: unknown) => error);
  const sent = mirror.send("undo", {});
  await turn();
  const [fetch, undo] = desk.asked.splice(0);
  undo?.answer(answer(1, 2));
  await turn();
  fetch?.fail(new Error("gone"));

  assert.ok((await fetching) instanceof Error);
  assert.equal((await sent).status, "applied");
  assert.equal(held(mirror), "r1");
  desk.tell(news(1, 2));
  await turn();
  assert.equal(held(mirror), "r2");
  assert.equal(desk.fetches, 2);
});

test("a command that failed does not hold up the next one", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const first = mirror.send("undo", {}).catch((error: unknown) => error);
  const second = mirror.send("undo", {});
  await turn();
  await desk.give(new Error("refused"));
  await desk.give(answer(1, 2));

  assert.ok((await first) instanceof Error);
  assert.equal((await second).status, "applied");
  assert.equal(held(mirror), "r2");
});

test("an answer is given although its version cannot be fetched", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const sent = mirror.send("undo", {});
  await turn();
  await desk.give(answer(1, 2, { changes: null }));
  await desk.give(new Error("gone"));

  assert.equal((await sent).status, "applied");
  assert.equal(held(mirror), "r1");
});

test("an unchanged or historical answer waits for no notification", async () => {
  for (const more of [{ changed: false }, { status: "historical" }]) {
    const desk = new Desk();
    const mirror = await opened(desk);
    const sent = mirror.send("undo", {});
    await turn();
    // What another window did meanwhile comes with it.
    await desk.give(answer(1, 2, { revisionId: "r3", ...more }));
    await sent;
    desk.tell(news(2, 3));
    await turn();

    assert.equal(held(mirror), "r3");
    assert.equal(desk.fetches, 1);
  }
});

test("what is told of other projects is no news of this one", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);

  desk.tell(news(1, 2, { projectId: "q" }));
  await mirror.takeAnswer(answer(1, 2, { projection: projection(2, "q") }), "r1");
  await mirror.takeAnswer(answer(1, 2, { projection: null, changes: null }), "r1");
  await turn();

  assert.equal(held(mirror), "r1");
  assert.equal(desk.fetches, 1);
});

test("fetches asked for at once are one, and the next one is made anew", async () => {
  const desk = new Desk();
  const mirror = await opened(desk);
  const both = [mirror.fetch(), mirror.fetch()];
  await desk.give(projection(2));
  await Promise.all(both);
  assert.equal(desk.fetches, 2);

  desk.become({ name: "restarting" });
  desk.become({ name: "ready" });
  await desk.give(projection(5));

  assert.equal(held(mirror), "r5");
  assert.equal(desk.fetches, 3);
});

test("a mirror that could not be opened follows nothing", async () => {
  const desk = new Desk();
  const refused = assert.rejects(ProjectMirror.open(desk, "p"), { message: "unknown-project" });
  assert.equal(desk.listeners, 2);
  await desk.give(new Error("unknown-project"));

  await refused;
  assert.equal(desk.listeners, 0);
});
