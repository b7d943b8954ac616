import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FileTree } from "@factory/template-engine/file-tree";
import { TemplateError } from "@factory/template-engine/template-error";
import { packTree } from "../../workers/worker-pool/packed-tree.js";
import type { WorkerClient, WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { workerTask } from "../../workers/worker-pool/worker-task.js";
import type { ProjectReferences } from "./references/project-references.js";
import { referencesTask, type TemplateSubject } from "./references/scan-template.js";
import type { ResolvedPackages } from "./resolution/package-collection.js";
import type { ResolutionInput } from "./resolution/resolve-packages.js";
import { scanFailed } from "./scan-failure.js";

/** The worker task that resolves project references. */
export const resolutionTask = workerTask<ResolutionInput, ResolvedPackages>("resolvePackages", "long");

/** A scan's two calculations, in worker processes under a time limit. */
export class DependencyScanner {
  readonly #workers: WorkerPool;
  readonly #limits: { readonly referencesMs: number; readonly resolutionMs: number };

  constructor(workers: WorkerPool, limits = { referencesMs: 20_000, resolutionMs: 15_000 }) {
    this.#workers = workers;
    this.#limits = limits;
  }

  /** Renders a template with its defaults and reads its references. Throws DEPENDENCY_SCAN_FAILED. */
  async references(files: FileTree, input: TemplateSubject, client: WorkerClient): Promise<ProjectReferences> {
    const timeoutMs = this.#limits.referencesMs;
    try {
      const outcome = await this.#workers.run(referencesTask, { input, files: packTree(files), timeoutMs, client });
      if (typeof outcome !== "string") return outcome.output;
      if (outcome === "memory") throw scanFailed("RENDER_FAILED", "The render of the template needs too much memory.");
      throw scanFailed("RENDER_TIMEOUT", `The template was not rendered and read within ${timeoutMs} ms.`);
    } catch (error) {
      if (error instanceof TemplateError) throw scanFailed(error.code, error.message);
      throw error;
    }
  }

  /** Resolves references. Throws UNAVAILABLE when it takes too long or too much memory. */
  async resolve(input: ResolutionInput, client: WorkerClient): Promise<ResolvedPackages> {
    const timeoutMs = this.#limits.resolutionMs;
    const outcome = await this.#workers.run(resolutionTask, { input, timeoutMs, client });
    if (typeof outcome !== "string") return outcome.output;
    throw new DomainError("UNAVAILABLE", {
      detail:
        "The resolution of the dependencies took too long. Scan fewer libraries, or a template with fewer projects.",
    });
  }
}
