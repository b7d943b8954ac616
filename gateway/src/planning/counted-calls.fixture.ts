import { Session } from "node:inspector";

interface FunctionCoverage {
  readonly ranges: readonly { readonly count: number }[];
}

/** Counts function calls, since milliseconds mean little on a busy machine. One at a time. */
export class CallCounter {
  readonly #session = new Session();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** All calls of JavaScript functions that `work` makes, however deep. */
  count(work: () => void): number {
    this.#take();
    work();
    return this.#take();
  }

  close(): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  /** Calls since the last time. The answer comes before `post` returns. */
  #take(): number {
    let calls = 0;
    this.#session.post("Profiler.takePreciseCoverage", (error, answer) => {
      if (error) throw error;
      const functions = answer.result.flatMap<FunctionCoverage>((script) => script.functions);
      for (const { ranges } of functions) calls += ranges[0]?.count ?? 0;
    });
    return calls;
  }
}
