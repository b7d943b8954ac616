import { DomainError } from "../errors/domain-error.js";
import type { ChangedTenants, SnapshotSource } from "./snapshot-source.js";

/**
 * A source that opens later, and whose calls end when the signal is aborted. While a process starts, a call may wait
 * for a server that waits for the caller's start; a start that fails must not wait for that call.
 */
export function abortableSource(open: () => Promise<SnapshotSource>, signal: AbortSignal): SnapshotSource {
  const unlessAborted = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const stop = () =>
        reject(new DomainError("UNAVAILABLE", { detail: "The process is stopping.", retryAfterSeconds: 1 }));
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  return {
    tenants: (tenantIds) => unlessAborted(open().then((source) => source.tenants(tenantIds))),
    editions: () => unlessAborted(open().then((source) => source.editions())),
    async *changedSince(timeMs): AsyncGenerator<ChangedTenants> {
      const pages = (await unlessAborted(open())).changedSince(timeMs)[Symbol.asyncIterator]();
      for (;;) {
        const page = await unlessAborted(pages.next());
        if (page.done) return;
        yield page.value;
      }
    },
  };
}
