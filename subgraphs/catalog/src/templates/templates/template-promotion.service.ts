import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { requireReason } from "../../libraries/deprecations/deprecation-reason.js";
import { checkNames } from "../template-checks/findings/finding-codes.js";
import { requireScan } from "./required-scan.js";
import { requireActive } from "./template-change.service.js";
import { TemplateVersion } from "./template-version.entity.js";
import type { DeprecateTemplateVersionInput } from "./template-version.input.js";
import { unknownVersion } from "./template-version.service.js";
import { type TemplateVersionState, templateVersionStates } from "./template-version.states.js";
import type { TemplateVersionType } from "./template-version.type.js";
import { versionEntityView } from "./template-version.view.js";
import { passedChecks } from "./version-evidence/passed-checks-statement.js";

/** Publishes and deprecates template versions. Neither can be undone. */
export class TemplatePromotionService {
  readonly #database: Database;
  readonly #facts: TenantFacts;

  constructor(database: Database, facts: TenantFacts) {
    this.#database = database;
    this.#facts = facts;
  }

  /**
   * Requires pinned content whose newest validation passed each check, and a scan where the tenant asks for one. Throws
   * TEMPLATE_VERSION_NOT_VALIDATED, TEMPLATE_VERSION_NOT_SCANNED, TEMPLATE_VERSION_VULNERABLE and INVALID_STATE.
   */
  publish(context: RequestContext, templateVersionId: string): Promise<TemplateVersionType> {
    return idempotentMutation(this.#database, context, {
      field: "publishTemplateVersion",
      arguments: { templateVersionId },
      prepare: async () => {
        const facts = await this.#facts.of(tenantOf(context).tenantId);
        return facts.setting("governance.publish.scanSeverity");
      },
      commit: async (transaction, scanSeverity) => {
        const version = await lockedVersion(transaction, templateVersionId);
        requireState(version, "Published");
        await requireActive(transaction, version.templateId);
        await requireValidated(transaction, version);
        if (scanSeverity !== null) await requireScan(transaction, version, scanSeverity);
        version.status = "Published";
        version.publishedAt = new Date();
        const { templateId, semanticVersion, contentDigest } = version;
        transaction.record({
          type: "TemplateVersionPublished",
          subject: `template-versions/${templateVersionId}`,
          data: { templateId, templateVersionId, semanticVersion, contentDigest },
        });
        return versionEntityView(version);
      },
    });
  }

  /** Deprecates a published version, which stays executable. Throws INVALID_STATE and REFERENCE_NOT_FOUND. */
  deprecate(
    context: RequestContext,
    templateVersionId: string,
    input: DeprecateTemplateVersionInput,
  ): Promise<TemplateVersionType> {
    const reason = requireReason(input.reason);
    return idempotentMutation(this.#database, context, {
      field: "deprecateTemplateVersion",
      arguments: { templateVersionId, input },
      commit: async (transaction) => {
        const version = await lockedVersion(transaction, templateVersionId);
        requireState(version, "Deprecated");
        const replacementTemplateVersionId = input.replacementTemplateVersionId ?? null;
        if (replacementTemplateVersionId !== null)
          await requireReplacement(transaction, version, replacementTemplateVersionId);
        const message = input.message ?? null;
        version.status = "Deprecated";
        version.deprecation = { reason, message, replacementTemplateVersionId, deprecatedAt: new Date().toISOString() };
        const { templateId, semanticVersion } = version;
        transaction.record({
          type: "TemplateVersionDeprecated",
          subject: `template-versions/${templateVersionId}`,
          data: { templateId, templateVersionId, semanticVersion, reason, message, replacementTemplateVersionId },
        });
        return versionEntityView(version);
      },
    });
  }
}

/** A version that nobody else changes until the commit. Throws TEMPLATE_VERSION_NOT_FOUND. */
export async function lockedVersion({ em, tenant }: Transaction, templateVersionId: string): Promise<TemplateVersion> {
  const version =
    decodeId("tpv", templateVersionId) === undefined
      ? null
      : await em.findOne(
          TemplateVersion,
          { tenantId: tenant.tenantId, templateVersionId },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
  if (!version) throw unknownVersion();
  return version;
}

function requireState({ status }: TemplateVersion, target: TemplateVersionState): void {
  if ((templateVersionStates[status].next as readonly string[]).includes(target)) return;
  const sources = Object.entries(templateVersionStates).filter(([, { next }]) =>
    (next as readonly string[]).includes(target),
  );
  throw new DomainError("INVALID_STATE", {
    detail: `The version is ${status}. Only a version that is ${sources.map(([state]) => state).join(" or ")} can become ${target}.`,
    currentState: status,
    allowed: sources.map(([state]) => state),
  });
}

async function requireValidated(transaction: Transaction, version: TemplateVersion): Promise<void> {
  const { resolvedRef, contentDigest } = version;
  const checks = await passedChecks(transaction, version);
  const missingChecks = checkNames.filter((name) => !checks.has(name));
  if (missingChecks.length === 0 && resolvedRef !== null) return;
  const detail =
    resolvedRef === null || contentDigest === null
      ? "The source of the version was never read. Validate the version first."
      : `The current content of the version has not passed ${missingChecks.join(", ")}. Validate the version with these checks first.`;
  throw new DomainError("TEMPLATE_VERSION_NOT_VALIDATED", { detail, missingChecks });
}

/** Holds the replacement until the commit, so that it is not deleted meanwhile. */
async function requireReplacement({ em, tenant }: Transaction, version: TemplateVersion, replacementId: string) {
  const replacement =
    replacementId === version.templateVersionId || decodeId("tpv", replacementId) === undefined
      ? null
      : await em.findOne(
          TemplateVersion,
          { tenantId: tenant.tenantId, templateVersionId: replacementId },
          { lockMode: LockMode.PESSIMISTIC_READ },
        );
  if (replacement) return;
  throw inputProblem("REFERENCE_NOT_FOUND", {
    pointer: "/input/replacementTemplateVersionId",
    code: "UNKNOWN_VALUE",
    detail: "The replacement must be another template version of this tenant.",
  });
}
