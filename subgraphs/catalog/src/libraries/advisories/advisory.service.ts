import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import type { DeleteAdvisoriesInput, ImportAdvisoriesInput } from "./advisory.input.js";
import type { AdvisoryDeletionType, AdvisoryImportType, PackageAdvisoryType } from "./advisory.type.js";
import { mayWeaken, requireMayWeaken } from "./advisory-protection.js";
import { countAdvisories, deleteAdvisories, storedAdvisories, writeAdvisories } from "./advisory-writing-statement.js";
import { type Fate, newestCopy, ProtectedChoice } from "./chosen-copy.js";
import { type ReadAdvisory, readOsvDocument } from "./osv-document.js";

/** One tenant's advisories. NuGet as a whole has fewer than a tenth. */
const maxAdvisories = 20_000;
const maxListed = 200;

const advisoriesOfPackage = tenantStatement(
  "advisories_of_package",
  `select affected.advisory_id, affected.package_name, coalesce(affected.severity, advisory.severity) as severity,
     advisory.summary, advisory.aliases, advisory.url, affected.intervals, affected.versions, advisory.modified_at,
     advisory.withdrawn_at
   from advisory_packages affected join advisories advisory using (tenant_id, advisory_id)
   where tenant_id = scope.tenant and package_key = $2 order by advisory_id limit ${maxListed}`,
);

/** A row from `advisoriesOfPackage`. */
interface PackageAdvisoryRow
  extends Pick<PackageAdvisoryType, "severity" | "summary" | "aliases" | "url" | "intervals" | "versions"> {
  advisory_id: string;
  package_name: string;
  modified_at: Date;
  withdrawn_at: Date | null;
}

/** Imports and deletes security advisories. Reads the advisories about a package. */
export class AdvisoryService {
  readonly #database: Database;
  readonly #facts: TenantFacts;

  constructor(database: Database, facts: TenantFacts) {
    this.#database = database;
    this.#facts = facts;
  }

  /**
   * Stores each advisory's newer copy. While `governance.publish.scanSeverity` is set, only a caller that may weaken
   * advisories replaces one by a weaker copy. Throws ADVISORIES_INVALID with everything that is wrong.
   */
  import(context: RequestContext, input: ImportAdvisoriesInput): Promise<AdvisoryImportType> {
    return idempotentMutation(this.#database, context, {
      field: "importAdvisories",
      arguments: { input },
      prepare: async () => ({
        isProtected: await this.#isProtected(context),
        given: await longWork.run(tenantOf(context).tenantId, reading(input.documents, new Date())),
      }),
      commit: async (transaction, { isProtected, given }) => {
        await lockImports(transaction);
        const storedCopies = await storedAdvisories(transaction, idsOf(given));
        const choice = isProtected ? new ProtectedChoice(transaction, mayWeaken(principalOf(context))) : newestCopy;
        const copiesByFate = { imported: [], unchanged: [], ignored: [], refused: [] } as Record<Fate, ReadAdvisory[]>;
        for (const copy of given) {
          const present = storedCopies.get(copy.advisoryId);
          // an advisory that is stored already may affect no package any more
          const fate = present ? await choice.of(copy, present) : copy.packages.length > 0 ? "imported" : "ignored";
          copiesByFate[fate].push(copy);
        }
        const { imported, unchanged, ignored, refused } = copiesByFate;
        const addedCount = imported.filter(({ advisoryId }) => !storedCopies.has(advisoryId)).length;
        if (addedCount > 0 && (await countAdvisories(transaction)) + addedCount > maxAdvisories)
          throw new DomainError("ADVISORIES_INVALID", {
            detail: `A tenant can have at most ${maxAdvisories} advisories. Import only those about packages that you use, and delete the others with deleteAdvisories.`,
          });
        await writeAdvisories(transaction, imported);
        const result = {
          ...{ imported: imported.length, unchanged: unchanged.length, ignored: ignored.length },
          refused: idsOf(refused),
        };
        const subject = `tenants/${transaction.tenant.tenantId}`;
        // without the ids nobody could find advisories to delete among thousands
        const data = { ...result, advisoryIds: idsOf(imported) };
        transaction.record({ type: "AdvisoriesImported", subject, data });
        return result;
      },
    });
  }

  /**
   * Deletes advisories. Throws INSUFFICIENT_SCOPE, and SELF_APPROVAL for agents, while `governance.publish.scanSeverity` is
   * set.
   */
  delete(context: RequestContext, input: DeleteAdvisoriesInput): Promise<AdvisoryDeletionType> {
    return idempotentMutation(this.#database, context, {
      field: "deleteAdvisories",
      arguments: { input },
      prepare: async () => {
        if (await this.#isProtected(context)) requireMayWeaken(principalOf(context));
      },
      commit: async (transaction) => {
        await lockImports(transaction);
        const advisoryIds = await deleteAdvisories(transaction, input.advisoryIds);
        const subject = `tenants/${transaction.tenant.tenantId}`;
        transaction.record({ type: "AdvisoriesDeleted", subject, data: { advisoryIds } });
        return { deleted: advisoryIds.length };
      },
    });
  }

  /** The advisories about a package, withdrawn ones included. */
  async ofPackage(context: RequestContext, packageName: string): Promise<PackageAdvisoryType[]> {
    const { reader } = this.#database;
    const key = packageName.toLowerCase();
    const rows = await reader.rows<PackageAdvisoryRow & Record<string, unknown>>(
      advisoriesOfPackage,
      tenantOf(context),
      key,
    );
    return rows.map(({ advisory_id, package_name, modified_at, withdrawn_at, ...fields }) => ({
      ...fields,
      advisoryId: advisory_id,
      packageName: package_name,
      modifiedAt: modified_at.toISOString(),
      withdrawnAt: withdrawn_at?.toISOString() ?? null,
    }));
  }

  /** Whether the tenant lets the advisories decide about publishing. */
  async #isProtected(context: RequestContext): Promise<boolean> {
    const facts = await this.#facts.of(tenantOf(context).tenantId);
    return facts.setting("governance.publish.scanSeverity") !== null;
  }
}

const idsOf = (advisories: readonly ReadAdvisory[]): string[] => advisories.map(({ advisoryId }) => advisoryId);

async function lockImports({ execute, tenant }: Transaction): Promise<void> {
  await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
    advisoryLocks.securityAdvisoryImport,
    tenant.tenantId,
  ]);
}

/** Each advisory's newest copy. Other requests run between two documents. */
function* reading(documents: readonly Record<string, unknown>[], now: Date): PausableWork<ReadAdvisory[]> {
  const problems = new InputProblems("ADVISORIES_INVALID");
  const newestCopies = new Map<string, ReadAdvisory>();
  for (const [index, document] of documents.entries()) {
    const plain = withPlainNumbers(document) as Record<string, unknown>;
    const advisory = yield* readOsvDocument(plain, { pointer: `/documents/${index}`, problems, now });
    const earlierCopy = advisory && newestCopies.get(advisory.advisoryId);
    if (advisory && (earlierCopy === undefined || earlierCopy.modifiedAt < advisory.modifiedAt))
      newestCopies.set(advisory.advisoryId, advisory);
    yield;
  }
  problems.refuse("The advisories cannot be imported. See errors for each document that is not valid.");
  return [...newestCopies.values()];
}
