const tickMs = 100;

/**
 * Runs `work` after `ms` in which the event loop turned, and after the sockets were read once more. Returns a function
 * that cancels it. It measures a peer's silence without the time in which this process was too busy to read.
 */
export function afterLoopTime(ms: number, work: () => void): () => void {
  let remainingMs = ms;
  let last = performance.now();
  let isCancelled = false;
  const judge = () => {
    if (!isCancelled) work();
  };
  const timer = setInterval(() => {
    const now = performance.now();
    remainingMs -= Math.min(now - last, 2 * tickMs);
    last = now;
    if (remainingMs > 0) return;
    clearInterval(timer);
    onceSocketsAreRead(judge);
  }, tickMs).unref();
  return () => {
    isCancelled = true;
    clearInterval(timer);
  };
}

/** Runs `work` after the sockets were read: the event loop reads them before it runs `setImmediate`. */
export function onceSocketsAreRead(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
