import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { FileTree } from "@factory/template-engine/file-tree";
import { injectPackageReferences } from "../../../targets/package-references/inject.js";
import { Execution } from "../record/execution.entity.js";
import type { Scaffolding } from "./scaffolding.js";

type Current = Pick<
  Execution,
  "tenantId" | "executionId" | "templateId" | "parameters" | "directory" | "nameDirectory"
>;

function isSamePlace(earlier: Execution, current: Current): boolean {
  const { directory, nameDirectory, parameters } = earlier;
  const sameFolder = directory === current.directory && nameDirectory === current.nameDirectory;
  return sameFolder && parameters["name"] === current.parameters["name"];
}

const sourceTimeoutMs = 120_000;

/**
 * Renders earlier executions again, as the base of a merge. Their commits are not the base, since they may contain
 * others' merged edits.
 */
export class EarlierRenders {
  readonly #database: Database;
  readonly #scaffolding: Scaffolding;

  constructor(database: Database, scaffolding: Scaffolding) {
    this.#database = database;
    this.#scaffolding = scaffolding;
  }

  /**
   * An earlier execution's files. Undefined when it belongs to another template or tenant, or has another name or
   * folder.
   */
  async find(
    current: Current,
    executionId: string,
    { signal, targetTexts }: { signal: AbortSignal; targetTexts?: ReadonlyMap<string, string> | undefined },
  ): Promise<FileTree | undefined> {
    const { tenantId, templateId } = current;
    // The id is from a commit message, which anybody may have written.
    if (executionId === current.executionId || decodeId("exe", executionId) === undefined) return undefined;
    const earlier = await this.#database.transaction(
      tenantWithId(tenantId),
      { trace: continueTrace(undefined) },
      ({ em }) => em.findOne(Execution, { tenantId, executionId, templateId }),
    );
    // A scaffold with another name or folder is another project, so the template has not removed its files.
    if (!earlier || !isSamePlace(earlier, current)) return undefined;
    const fetchedOrigin = await this.#scaffolding.fetch(earlier, { timeoutMs: sourceTimeoutMs, signal });
    const { files, primaryOutputs } = await this.#scaffolding.render(fetchedOrigin, earlier, { signal, targetTexts });
    if (earlier.libraries.length === 0) return files;
    return injectPackageReferences(files, earlier.libraries, { primaryOutputs }).files;
  }
}
