// An ordered list of things by id, in which a thing is put or moved without copying the list.

/** The changes lead from another state than the one they were applied to: fetch the project again. */
export class ChangesMismatchError extends Error {
  override readonly name = "ChangesMismatchError";
}

interface Link<T> {
  id: string;
  value: T;
  before: Link<T> | null;
  after: Link<T> | null;
}

export class ThingList<T> {
  readonly #links = new Map<string, Link<T>>();
  #first: Link<T> | null = null;
  #last: Link<T> | null = null;

  constructor(things: readonly T[], idOf: (thing: T) => string) {
    for (const thing of things) this.#append(idOf(thing), thing);
  }

  remove(id: string): void {
    const link = this.#find(id);
    this.#unlink(link);
    this.#links.delete(id);
  }

  /** Replace the thing where it stands; with a previous id, put or move it right behind that one. */
  put(id: string, value: T, previousId: string | null | undefined): void {
    const present = this.#links.get(id);
    if (previousId === undefined) {
      this.#find(id).value = value;
      return;
    }
    const previous = previousId === null ? null : this.#find(previousId);
    const link = present ?? { id, value, before: null, after: null };
    link.value = value;
    if (present !== undefined) this.#unlink(present);
    this.#links.set(id, link);
    this.#linkBehind(previous, link);
  }

  get(id: string): T | undefined {
    return this.#links.get(id)?.value;
  }

  toArray(): T[] {
    const things: T[] = [];
    for (let link = this.#first; link !== null; link = link.after) things.push(link.value);
    return things;
  }

  #find(id: string): Link<T> {
    const link = this.#links.get(id);
    if (link === undefined) throw new ChangesMismatchError(`There is no ${JSON.stringify(id)} here.`);
    return link;
  }

  #append(id: string, value: T): void {
    const link: Link<T> = { id, value, before: null, after: null };
    this.#links.set(id, link);
    this.#linkBehind(this.#last, link);
  }

  #linkBehind(previous: Link<T> | null, link: Link<T>): void {
    const next = previous === null ? this.#first : previous.after;
    link.before = previous;
    link.after = next;
    if (previous === null) this.#first = link;
    else previous.after = link;
    if (next === null) this.#last = link;
    else next.before = link;
  }

  #unlink({ before, after }: Link<T>): void {
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
  }
}
