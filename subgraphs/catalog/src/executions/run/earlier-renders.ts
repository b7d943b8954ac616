import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { FileTree } from "@factory/template-engine/file-tree";
import { injectPackageReferences } from "../../package-references/inject.js";
import { Execution } from "../record/execution.entity.js";
import type { Scaffolding } from "./scaffolding.js";

type Current = Pick<
  Execution,
  "tenantId" | "executionId" | "templateId" | "parameters" | "directory" | "nameDirectory"
>;

function samePlace(earlier: Execution, current: Current): boolean {
  const { directory, nameDirectory, parameters } = earlier;
  const sameFolder = directory === current.directory && nameDirectory === current.nameDirectory;
  return sameFolder && parameters["name"] === current.parameters["name"];
}

const sourceTimeoutMs = 120_000;

/** What an earlier execution of the same template rendered. Its commit does not tell: that may hold merged foreign edits. */
export class EarlierRenders {
  readonly #database: Database;
  readonly #scaffolding: Scaffolding;

  constructor(database: Database, scaffolding: Scaffolding) {
    this.#database = database;
    this.#scaffolding = scaffolding;
  }

  /** Undefined: no execution of this template, tenant and name. */
  async find(
    current: Current,
    executionId: string,
    { signal, targetTexts }: { signal: AbortSignal; targetTexts?: ReadonlyMap<string, string> | undefined },
  ): Promise<FileTree | undefined> {
    const { tenantId, templateId } = current;
    // read from a commit message, which anyone may have written
    if (executionId === current.executionId || decodeId("exe", executionId) === undefined) return undefined;
    const earlier = await this.#database.transaction(
      tenantWithId(tenantId),
      { trace: continueTrace(undefined) },
      ({ em }) => em.findOne(Execution, { tenantId, executionId, templateId }),
    );
    // a scaffold with another name or folder is a different project, so its files were not removed by the template
    if (!earlier || !samePlace(earlier, current)) return undefined;
    const fetched = await this.#scaffolding.fetch(earlier, { timeoutMs: sourceTimeoutMs, signal });
    const { files, primaryOutputs } = await this.#scaffolding.render(fetched, earlier, { signal, targetTexts });
    if (earlier.libraries.length === 0) return files;
    return injectPackageReferences(files, earlier.libraries, { primaryOutputs }).files;
  }
}
