import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { PatternLimits } from "@factory/template-engine/pattern-time-limit";
import type { RenderResult } from "@factory/template-engine/render";
import type { TargetFiles } from "@factory/template-engine/target-files";
import type { TemplateChoice } from "@factory/template-engine/template-choice";
import { TemplateError } from "@factory/template-engine/template-error";
import { packTree } from "../worker-pool/packed-tree.js";
import type { WorkerClient, WorkerPool } from "../worker-pool/worker-pool.js";
import { workerTask } from "../worker-pool/worker-task.js";

/** A render's input besides the template's files. */
export interface RenderOrder {
  readonly name: string | undefined;
  /** The scaffold's name where neither the request nor the template gives one. */
  readonly fallbackName: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly seed: string;
  readonly now: Date;
  /** The template version's target framework. It is compared with the SDK that the template requires. */
  readonly targetFramework?: string;
  /** Selects one of several templates in the files. */
  readonly template?: TemplateChoice;
  /** The target's files that the template may read. Its directory is the folder for everything that is produced. */
  readonly target?: TargetFiles;
  /** Whether a folder with the given name contains everything, if the template prefers it. */
  readonly nameDirectory?: boolean;
  readonly patternLimits?: PatternLimits | undefined;
}

/** A render's result without its files, which travel beside it. */
export type RenderFacts = Omit<RenderResult, "files">;

/** The task that renders a template in a worker process. */
export const renderTask = workerTask<RenderInput, RenderFacts>("render", "long");

/** Only JSON text takes the text of every number to another process. */
export type RenderInput = Omit<RenderOrder, "parameters"> & { readonly parametersJson: string };

interface RenderLimits {
  readonly renderMs: number;
  readonly patterns?: PatternLimits;
}

/** Renders templates in worker processes. */
export class TemplateRenderer {
  readonly #workers: WorkerPool;
  readonly #limits: RenderLimits;

  constructor(workers: WorkerPool, limits: RenderLimits = { renderMs: 30_000 }) {
    this.#workers = workers;
    this.#limits = limits;
  }

  /** Throws RENDER_TIMEOUT, and the TemplateError for a template that cannot be rendered. */
  async render(files: FileTree, { parameters, ...order }: RenderOrder, client?: WorkerClient): Promise<RenderResult> {
    const { renderMs: timeoutMs, patterns: patternLimits } = this.#limits;
    const input = { ...order, parametersJson: JSON.stringify(parameters), patternLimits };
    const outcome = await this.#workers.run(renderTask, { input, files: packTree(files), timeoutMs, client });
    if (outcome === "timeout")
      throw new DomainError("RENDER_TIMEOUT", {
        detail: `The template was not rendered within ${timeoutMs} ms. Its patterns or expressions may never end.`,
      });
    if (outcome === "memory")
      throw new TemplateError("RENDER_FAILED", "The render of the template needs too much memory.");
    return { ...outcome.output, files: outcome.files };
  }
}
