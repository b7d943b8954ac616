import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import type { ScanDependenciesInput } from "./dependency-scan.input.js";
import { matchAgain, matchBefore, type StorablePackages } from "./package-matching.js";
import { DependencyScan } from "./record/dependency-scan.entity.js";
import type { DependencyScanType } from "./record/dependency-scan.type.js";
import { readScan, type ScanRow, scanView, vulnerabilityCounts } from "./record/dependency-scan.view.js";
import type { ScannedSubject, ScanPreparation } from "./scan-preparation.js";
import { mayRead, mayReadResult } from "./scan-scopes.js";

/** So many scans are kept; older ones are deleted. */
const keptScans = { ofVersion: 20, ofSets: 200 };

const oneScan = keyStatement(
  "one_dependency_scan",
  `select scan.* from dependency_scans scan where tenant_id = scope.tenant and dependency_scan_id = $2`,
);

/**
 * Scans the dependencies that template versions and library sets have. Everything slow happens before one transaction
 * stores the result with its event, so a scan that is killed leaves nothing behind.
 */
export class DependencyScanService {
  readonly #database: Database;
  readonly #preparation: Pick<ScanPreparation, "prepare">;
  readonly #versions: Pick<TemplateVersionService, "hold">;

  constructor(
    database: Database,
    preparation: Pick<ScanPreparation, "prepare">,
    versions: Pick<TemplateVersionService, "hold">,
  ) {
    this.#database = database;
    this.#preparation = preparation;
    this.#versions = versions;
  }

  /** Throws TEMPLATE_VERSION_NOT_FOUND, DEPENDENCY_SCAN_FAILED and the errors for an invalid set. */
  scan(context: RequestContext, input: ScanDependenciesInput): Promise<DependencyScanType> {
    return idempotentMutation(this.#database, context, {
      field: "scanDependencies",
      arguments: { input },
      prepare: async () => {
        const scannedSubject = await this.#preparation.prepare(context, input);
        return {
          scanned: scannedSubject,
          matched: await matchBefore(this.#database, tenantOf(context), scannedSubject.packages),
        };
      },
      commit: async (transaction, { scanned, matched }) => {
        if (scanned.templateVersionId !== null) await this.#versions.hold(transaction, scanned.templateVersionId);
        return store(transaction, scanned, await matchAgain(transaction, scanned.packages, matched));
      },
    });
  }

  /** A stored scan as it was answered; undefined for an id that the tenant does not have or the caller may not read. */
  async find(context: RequestContext, dependencyScanId: string): Promise<DependencyScanType | undefined> {
    const row = await this.#find(context, dependencyScanId);
    return row && mayRead(context, row.template_version_id) ? scanView(readScan(row)) : undefined;
  }

  /** Throws NOT_FOUND for an id that the tenant does not have or the caller may not read. */
  async get(context: RequestContext, dependencyScanId: string): Promise<DependencyScanType> {
    return (await this.find(context, dependencyScanId)) ?? unknownScan(dependencyScanId);
  }

  /** The row for a scan that the caller reads or has started. Throws NOT_FOUND. */
  async row(context: RequestContext, dependencyScanId: string): Promise<ScanRow> {
    const row = await this.#find(context, dependencyScanId);
    return row && mayReadResult(context, row.template_version_id) ? row : unknownScan(dependencyScanId);
  }

  async #find(context: RequestContext, dependencyScanId: string): Promise<ScanRow | undefined> {
    const uuid = decodeId("scn", dependencyScanId);
    if (uuid === undefined) return undefined;
    const { reader } = this.#database;
    return reader.row<ScanRow>(oneScan, tenantOf(context), uuid);
  }
}

function unknownScan(dependencyScanId: string): never {
  throw new DomainError("NOT_FOUND", { detail: `This tenant has no dependency scan ${dependencyScanId}.` });
}

async function store(
  transaction: Transaction,
  scannedSubject: ScannedSubject,
  { packages, limits: reachedLimits }: StorablePackages,
): Promise<DependencyScanType> {
  const { em, tenant, record } = transaction;
  const limits = [...new Set([...scannedSubject.limits, ...reachedLimits])];
  const { templateVersionId } = scannedSubject;
  const scan = em.create(DependencyScan, {
    ...scannedSubject,
    tenantId: tenant.tenantId,
    dependencyScanId: newId("scn"),
    packages,
    limits,
    packageCount: packages.length,
    unknownCount: packages.filter(({ status }) => status === "Unknown").length,
    vulnerabilityCounts: vulnerabilityCounts(packages),
    scannedAt: new Date(),
  });
  em.persist(scan);
  await em.flush();
  await deleteOlder(transaction, templateVersionId);
  const { packages: _, libraries: __, scannedAt: ___, ...facts } = scanView(scan);
  record({
    type: "DependenciesScanned",
    subject:
      templateVersionId === null
        ? `dependency-scans/${scan.dependencyScanId}`
        : `template-versions/${templateVersionId}`,
    data: { ...facts },
  });
  return scanView(scan);
}

async function deleteOlder({ execute, tenant }: Transaction, templateVersionId: string | null): Promise<void> {
  const uuid = templateVersionId === null ? null : decodeId("tpv", templateVersionId);
  await execute(
    `delete from dependency_scans where tenant_id = $1 and template_version_id is not distinct from $2
       and dependency_scan_id in (
         select dependency_scan_id from dependency_scans
         where tenant_id = $1 and template_version_id is not distinct from $2
         order by dependency_scan_id desc offset $3)`,
    [tenant.uuid, uuid, uuid === null ? keptScans.ofSets : keptScans.ofVersion],
  );
}
