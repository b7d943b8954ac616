import { StepWatch } from "../step-feeds/step-watch.js";
import { RunLost, withCancellation } from "./run-lost.js";

/** A watch, and what tells it of a line on the channel. */
async function aWatch() {
  const watch = new StepWatch();
  const listeners: ((payload?: string) => void)[] = [];
  await watch.start(
    { on: async (_: string, listener: (payload?: string) => void) => void listeners.push(listener) },
    "c",
  );
  return { watch, tell: (line: string) => listeners.forEach((listener) => listener(line)) };
}

describe("an attempt with cancellation", () => {
  it("is aborted when its run is cancelled, and ends without an error", async () => {
    const { watch, tell } = await aWatch();
    let reason: unknown;
    await withCancellation(watch, "run-1", async (cancelled) => {
      tell("run-2 Cancelled\nrun-1 Running");
      expect(cancelled.aborted).toBe(false);
      tell("run-1 Cancelled");
      reason = cancelled.reason;
      cancelled.throwIfAborted();
    });
    expect(reason).toBeInstanceOf(RunLost);
  });

  it("throws every other error, and watches no longer", async () => {
    const { watch, tell } = await aWatch();
    let signal: AbortSignal | undefined;
    const attempt = withCancellation(watch, "run-1", async (cancelled) => {
      signal = cancelled;
      throw new Error("storm");
    });
    await expect(attempt).rejects.toThrow("storm");
    tell("run-1 Cancelled");
    expect(signal?.aborted).toBe(false);
  });
});
