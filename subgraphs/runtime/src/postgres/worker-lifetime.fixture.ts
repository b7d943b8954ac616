/** How long a worker keeps what its suites share while none runs. Between two suites are some milliseconds. */
const lingerMs = 300;

/** They are called in reverse order, so that a subgraph ends before its database. */
const closers: (() => Promise<void>)[] = [];
let idle: NodeJS.Timeout | undefined;
let closing: Promise<void> = Promise.resolve();

/** Calls `close` when no suite runs in this worker any more. The next suite that needs the thing makes it again. */
export function closeWithWorker(close: () => Promise<void>): void {
  closers.push(close);
}

/** The test runner calls it before each suite. */
export async function suiteBegins(): Promise<void> {
  clearTimeout(idle);
  await closing;
}

/** The test runner calls it after each suite. */
export function suiteEnded(): void {
  idle = setTimeout(() => {
    closing = closeAll();
  }, lingerMs);
}

async function closeAll(): Promise<void> {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
}
