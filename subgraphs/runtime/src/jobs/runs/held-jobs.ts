import type { TakenJob } from "./job-runs.js";

interface HeldJob extends TakenJob {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** Whether the database has a note that this process runs the job. */
  noted: boolean;
}

interface Hold {
  readonly signal: AbortSignal;
  noted(): void;
  release(): void;
}

/** The jobs whose handlers run in this process now. */
export class HeldJobs {
  readonly #held = new Map<string, HeldJob>();

  /** Adds a job; `release` removes it when its handler has ended. */
  hold({ id, name, retryCount }: TakenJob): Hold {
    let end = () => undefined as void;
    const endPromise = new Promise<void>((resolve) => (end = resolve));
    const heldJob: HeldJob = { id, name, retryCount, abort: new AbortController(), ended: endPromise, noted: false };
    this.#held.set(id, heldJob);
    return {
      signal: heldJob.abort.signal,
      noted: () => {
        heldJob.noted = true;
      },
      release: () => {
        if (this.#held.get(id) === heldJob) this.#held.delete(id);
        end();
      },
    };
  }

  all(): TakenJob[] {
    return [...this.#held.values()];
  }

  noted(): TakenJob[] {
    return [...this.#held.values()].filter(({ noted }) => noted);
  }

  abort({ id, retryCount }: TakenJob, reason: string): void {
    const heldJob = this.#held.get(id);
    if (heldJob?.retryCount === retryCount) heldJob.abort.abort(new Error(reason));
  }

  /** Waits for the running jobs, at most for this time. */
  async ended(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([Promise.all([...this.#held.values()].map(({ ended }) => ended)), late]);
    clearTimeout(timer);
  }
}
