import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { InputProblems } from "../input-problems/input-problems.js";
import type { ImportAdvisoriesInput } from "./advisory.input.js";
import type { AdvisoryImportType, PackageAdvisoryType } from "./advisory.type.js";
import { countAdvisories, knownAdvisories, writeAdvisories } from "./advisory-writing-statement.js";
import { type ReadAdvisory, readOsvDocument } from "./osv-document.js";

/** The advisories of one tenant. All of NuGet has fewer than a tenth. */
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

/** A row of `advisoriesOfPackage`. */
interface PackageAdvisoryRow
  extends Pick<PackageAdvisoryType, "severity" | "summary" | "aliases" | "url" | "intervals" | "versions"> {
  advisory_id: string;
  package_name: string;
  modified_at: Date;
  withdrawn_at: Date | null;
}

/** Imports security advisories. Reads the advisories about a package. */
export class AdvisoryService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Stores the newer copy of each advisory. Throws ADVISORIES_INVALID with everything that is wrong. */
  import(context: RequestContext, input: ImportAdvisoriesInput): Promise<AdvisoryImportType> {
    return idempotentMutation(this.#database, context, {
      field: "importAdvisories",
      arguments: { input },
      prepare: async () => longWork.run(tenantOf(context).tenantId, reading(input.documents)),
      commit: async (transaction, given) => {
        const { tenant, execute, record } = transaction;
        await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
          advisoryLocks.securityAdvisoryImport,
          tenant.tenantId,
        ]);
        const known = await knownAdvisories(
          transaction,
          given.map(({ advisoryId }) => advisoryId),
        );
        const newer = given.filter(
          ({ advisoryId, modifiedAt }) => (known.get(advisoryId)?.getTime() ?? -1) < modifiedAt.getTime(),
        );
        // an advisory that is stored already may affect no package any more
        const wanted = newer.filter(({ advisoryId, packages }) => packages.length > 0 || known.has(advisoryId));
        const added = wanted.filter(({ advisoryId }) => !known.has(advisoryId)).length;
        if (added > 0 && (await countAdvisories(transaction)) + added > maxAdvisories)
          throw new DomainError("ADVISORIES_INVALID", {
            detail: `A tenant can have at most ${maxAdvisories} advisories. Import only those about packages that you use.`,
          });
        await writeAdvisories(transaction, wanted);
        const result = {
          imported: wanted.length,
          unchanged: given.length - newer.length,
          ignored: newer.length - wanted.length,
        };
        record({ type: "AdvisoriesImported", subject: `tenants/${tenant.tenantId}`, data: { ...result } });
        return result;
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
}

/** The newest copy of each advisory. Other requests run between two documents. */
function* reading(documents: readonly Record<string, unknown>[]): PausableWork<ReadAdvisory[]> {
  const problems = new InputProblems("ADVISORIES_INVALID");
  const found = new Map<string, ReadAdvisory>();
  for (const [index, document] of documents.entries()) {
    const plain = withPlainNumbers(document) as Record<string, unknown>;
    const advisory = readOsvDocument(plain, `/documents/${index}`, problems);
    const known = advisory && found.get(advisory.advisoryId);
    if (advisory && (known === undefined || known.modifiedAt < advisory.modifiedAt))
      found.set(advisory.advisoryId, advisory);
    yield;
  }
  problems.refuse("The advisories cannot be imported. See errors for each document that is not valid.");
  return [...found.values()];
}
