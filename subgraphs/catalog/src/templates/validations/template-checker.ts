import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { packTree } from "../../workers/worker-pool/packed-tree.js";
import type { WorkerClient, WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { workerTask } from "../../workers/worker-pool/worker-task.js";
import type { CheckOutcome, CheckSubject } from "../template-checks/findings/check-subject.js";
import { cutCheck } from "../template-checks/findings/unfinished-check.js";

interface CheckOrder extends CheckSubject {
  readonly checks: readonly string[];
}

/** The worker task that runs one check. */
export const checkTask = workerTask<CheckSubject & { readonly check: string }, CheckOutcome>("checkTemplate", "long");

/** Runs a validation's checks in worker processes. */
export class TemplateChecker {
  readonly #workers: WorkerPool;
  readonly #checksMs: number;

  /** `checksMs` is the time limit for all checks in one validation together. */
  constructor(workers: WorkerPool, checksMs = 30_000) {
    this.#workers = workers;
    this.#checksMs = checksMs;
  }

  /** The findings in the order of the requested checks. A check that was ended by a limit is a finding too. */
  async runChecks(
    files: FileTree,
    { checks, ...subject }: CheckOrder,
    client?: WorkerClient,
  ): Promise<{ findings: Finding[]; samples: number }> {
    const pack = packTree(files);
    const endsAt = performance.now() + this.#checksMs;
    const findings: Finding[] = [];
    let samples = 0;
    for (const check of checks) {
      const timeoutMs = Math.max(1, endsAt - performance.now());
      const input = { ...subject, check };
      const outcome = await this.#workers.run(checkTask, { input, files: pack, timeoutMs, client });
      if (typeof outcome === "string") findings.push(cutCheck(check, outcome, this.#checksMs));
      else {
        findings.push(...outcome.output.findings);
        samples += outcome.output.samples;
      }
    }
    return { findings, samples };
  }
}
