// When a process that died is started again.

export interface RestartPolicy {
  /** How many starts in a row may fail. */
  readonly attempts: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** A process that lived this long counts as healthy: its death is the first again. */
  readonly healthyAfterMs: number;
}

export const DEFAULT_RESTART: RestartPolicy = {
  attempts: 6,
  initialDelayMs: 200,
  maxDelayMs: 10_000,
  healthyAfterMs: 30_000,
};

/** Return the delay before the attempt (1 is the first): doubled each time, plus up to a quarter. */
export function backoffDelay(
  policy: RestartPolicy,
  attempt: number,
  random: () => number = Math.random,
): number {
  const grown = policy.initialDelayMs * 2 ** (attempt - 1);
  return Math.round(Math.min(grown, policy.maxDelayMs) * (1 + random() / 4));
}
