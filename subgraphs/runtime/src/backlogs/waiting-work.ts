/** Work that is due and that nobody has taken yet, over all processes. */
export interface WaitingWork {
  readonly kind: "consumer" | "queue" | "dispatcher";
  readonly name: string;
  /** At most 10,000 are counted, so that a long backlog is not read for each metric. */
  readonly waiting: number;
  /** How long the oldest has been due (s); 0 for none. */
  readonly oldestSeconds: number;
}

export interface Backlog {
  waiting(): Promise<readonly WaitingWork[]>;
}

/** The highest number that is counted for one name. */
export const mostCounted = 10_000;
