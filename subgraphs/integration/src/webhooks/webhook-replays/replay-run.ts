import { setTimeout as sleep } from "node:timers/promises";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { type RunAttempt, type RunHandler, RunPause } from "../../runs/run-operations.js";
import type { RunRecord } from "../../runs/run-record.js";
import { ReceiverFlow } from "./receiver-flow.js";
import type { ReplayPages, ReplayState } from "./replay-pages.js";
import { checkpointOf, type ReplayProgress } from "./replay-record.js";

/** How long a replay occupies a worker before others have their turn. */
const turnMs = 15_000;
/** The interval between looks at the messages that wait. */
const lookMs = 100;
/** A replay whose receiver has taken nothing for this time pauses until the next attempt is due. */
const stuckMs = 3000;
const pauseSeconds = { least: 5, most: 120 };

/** The work for the operation ReplayDeliveries. A run that died goes on from its checkpoint. */
export class ReplayRun implements RunHandler {
  readonly delaysSeconds = [5, 30, 120];
  readonly timeLimitSeconds = 120;
  readonly #pages: ReplayPages;

  constructor(pages: ReplayPages) {
    this.#pages = pages;
  }

  async work(run: RunRecord, { signal, cause }: RunAttempt): Promise<RunPause | Record<string, unknown>> {
    const flow = new ReceiverFlow(performance.now());
    const turnEndsAt = performance.now() + turnMs;
    let state: ReplayState = {
      checkpoint: checkpointOf(run),
      progress: run.progress as unknown as ReplayProgress | null,
    };
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#pages.next(run, cause, { flow, state });
      failpoint("webhookReplays.paged");
      flow.released(page.released);
      ({ state } = page);
      if (page.kind === "end") return { ...state.progress };
      const now = performance.now();
      if (flow.stuckFor(now) > stuckMs) return new RunPause(pauseFor(page.dueInSeconds));
      if (now > turnEndsAt) return new RunPause(0);
      if (page.kind === "full") await sleep(lookMs, undefined, { signal });
    }
  }
}

const pauseFor = (dueInSeconds: number | null): number =>
  Math.min(Math.max(dueInSeconds ?? 0, pauseSeconds.least), pauseSeconds.most);
