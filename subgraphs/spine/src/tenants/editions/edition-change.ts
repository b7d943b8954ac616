import { DomainError } from "@factory/runtime/errors/domain-error";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Edition } from "./edition.entity.js";
import type { EditionType } from "./edition.type.js";
import { editionView } from "./edition.view.js";
import { editionsChannel } from "./edition-catalog.js";
import { EditionVersion } from "./edition-version.entity.js";

/** The version that a change restores; null for another change. */
type RevertedFrom = number | null;

/** Locks the edition until the transaction ends, so that changes come one after the other. Throws NOT_FOUND. */
export async function lockEdition({ em }: Transaction, code: string): Promise<Edition> {
  const edition = await em.findOne(Edition, { code }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!edition) throw unknownEdition();
  return edition;
}

/** NOT_FOUND for an edition. */
export function unknownEdition(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The edition does not exist. The list of editions shows all codes." });
}

type EditionValues = Pick<Edition, "name" | "description" | "trialDays" | "features" | "active" | "selfService">;

/** Stores the edition with the changed values as its next version. Equal values change nothing. */
export function nextVersion(
  transaction: Transaction,
  context: RequestContext,
  edition: Edition,
  changes: Partial<EditionValues>,
  revertedFrom: RevertedFrom = null,
): EditionType {
  const { name, description, trialDays, features, active, selfService } = edition;
  const current = { name, description, trialDays, features, active, selfService };
  if (canonicalJson(current) === canonicalJson({ ...current, ...changes })) return editionView(edition);
  Object.assign(edition, changes);
  edition.version += 1;
  edition.updatedAt = new Date();
  return recordEdition(transaction, context, edition, revertedFrom);
}

/** Keeps the current version in the history, records EditionUpdated and tells the other processes. */
export function recordEdition(
  { em, record, notify }: Transaction,
  context: RequestContext,
  edition: Edition,
  revertedFrom: RevertedFrom,
): EditionType {
  const { code, version, name, description, trialDays, features, active, selfService, updatedAt: changedAt } = edition;
  const changedBy = principalOf(context).subject;
  const facts = { code, version, name, description, trialDays, features, active, selfService, revertedFrom };
  em.persist(em.create(EditionVersion, { ...facts, changedAt, changedBy }));
  const { features: _, ...data } = facts;
  record({
    type: "EditionUpdated",
    subject: `editions/${code}`,
    data: { tenantId: platformTenantId, ...data, features },
  });
  notify(editionsChannel);
  return editionView(edition);
}
