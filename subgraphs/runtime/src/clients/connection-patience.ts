const usualMs = 4000;
/** A start opens many connections at once, which takes longer on a busy machine. */
const startMs = 15_000;

/** How long this process waits for a connection to the database (ms). */
export const connectionPatience = {
  ms: usualMs,
  /** Until the returned function is called, a missing connection does not end the start. */
  duringStart(): () => void {
    this.ms = startMs;
    return () => {
      this.ms = usualMs;
    };
  },
};
