const tickMs = 100;

/**
 * Runs `work` after so much time in which the event loop turned, and after the sockets were read once more; the result
 * cancels it. For deadlines of others: what this process was too busy to read does not count as silence.
 */
export function afterLoopTime(ms: number, work: () => void): () => void {
  let left = ms;
  let last = performance.now();
  let cancelled = false;
  const judge = () => {
    if (!cancelled) work();
  };
  const timer = setInterval(() => {
    const now = performance.now();
    left -= Math.min(now - last, 2 * tickMs);
    last = now;
    if (left > 0) return;
    clearInterval(timer);
    onceSocketsAreRead(judge);
  }, tickMs).unref();
  return () => {
    cancelled = true;
    clearInterval(timer);
  };
}

/** A turn of the event loop reads the sockets before it runs what `setImmediate` left. */
export function onceSocketsAreRead(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
