import { once } from "node:events";
import { Worker } from "node:worker_threads";

interface Pulse {
  readonly latenciesMs: readonly number[];
  readonly failed: number;
}

/** Checks that the platform's event loop is not blocked. */
export class VitalSigns {
  readonly #probe: Worker;

  constructor(url: string) {
    this.#probe = new Worker(new URL("livez-probe.js", import.meta.url), { workerData: { url } });
    this.#probe.unref();
  }

  watch(): void {
    this.#probe.postMessage("watch");
  }

  /** Resolves when a request that fails from now on does not count. */
  async rest(): Promise<void> {
    this.#probe.postMessage("rest");
    await once(this.#probe, "message");
  }

  async report(): Promise<Pulse> {
    this.#probe.postMessage("report");
    const [pulse] = (await once(this.#probe, "message")) as [Pulse];
    return pulse;
  }

  async close(): Promise<void> {
    await this.#probe.terminate();
  }
}
