import type { StepWatch } from "../step-feeds/step-watch.js";

/** Another worker has claimed the run, or it has ended. The worker that gets this error changes nothing more. */
export class RunLost extends Error {
  override readonly name = "RunLost";
}

/** The moved run, or RunLost when this worker's claim is over. */
export function requireMoved<Run>(run: Run | undefined): Run {
  if (run === undefined) throw new RunLost();
  return run;
}

/**
 * Makes an attempt with a signal that aborts with RunLost when the run is cancelled. An attempt that loses its run ends
 * without an error.
 */
export async function withCancellation(
  watch: StepWatch,
  run: string,
  attempt: (cancelled: AbortSignal) => Promise<void>,
): Promise<void> {
  const cancellation = new AbortController();
  // Subscribed before the claim, so that a cancellation between them is noticed.
  const forget = watch.subscribe(run, (status) => {
    if (status === "Cancelled") cancellation.abort(new RunLost());
  });
  try {
    await attempt(cancellation.signal);
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
  } finally {
    forget();
  }
}
