const tickMs = 100;

/**
 * Runs `work` after `ms` in which the event loop turned, and after one more read of the sockets. Returns a function that
 * cancels it. It measures the silence of a peer without the time in which this process was too busy to read.
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

/** Runs `work` after the sockets were read: a turn of the event loop reads them before it runs `setImmediate`. */
export function onceSocketsAreRead(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
