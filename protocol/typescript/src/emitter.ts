// Listeners of one kind of event; one that throws does not keep the others from hearing it.

export type Unsubscribe = () => void;

export class Emitter<T> {
  readonly #listeners = new Set<(event: T) => void>();

  on(listener: (event: T) => void): Unsubscribe {
    // The same function may listen twice; each subscription ends alone.
    const own = (event: T) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
