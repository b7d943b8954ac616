import { DomainError } from "@factory/runtime/errors/domain-error";
import type { WorkerClient, WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { workerTask } from "../../workers/worker-pool/worker-task.js";
import type { UpgradeAdvice, UpgradeInput } from "./advice/upgrade-advice.js";

/** The worker task that calculates upgrade advice. */
export const upgradeTask = workerTask<UpgradeInput, UpgradeAdvice>("adviseUpgrades", "long");

/** Calculates upgrade advice in a worker process: it tries many sets, which would hold up all requests. */
export class UpgradeAdvisor {
  readonly #workers: WorkerPool;
  readonly #timeoutMs: number;

  constructor(workers: WorkerPool, timeoutMs = 15_000) {
    this.#workers = workers;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws UNAVAILABLE when the calculation takes too long or too much memory. */
  async advise(input: UpgradeInput, client?: WorkerClient): Promise<UpgradeAdvice> {
    const outcome = await this.#workers.run(upgradeTask, { input, timeoutMs: this.#timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    throw new DomainError("UNAVAILABLE", {
      detail: "The upgrade advice took too long. Ask for fewer libraries in one request.",
    });
  }
}
