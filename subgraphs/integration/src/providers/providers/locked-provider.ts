import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Provider } from "./provider.entity.js";

/**
 * The provider with its row locked, so that the second one in two concurrent changes reads what the first one has
 * stored. Throws PROVIDER_NOT_FOUND.
 */
export async function lockedProvider({ em, tenant }: Transaction, providerId: string): Promise<Provider> {
  const row = { tenantId: tenant.tenantId, providerId };
  const isValidId = decodeId("prv", providerId) !== undefined;
  const provider = isValidId ? await em.findOne(Provider, row, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
  if (provider) return provider;
  throw new DomainError("PROVIDER_NOT_FOUND", { detail: "The provider does not exist in this tenant." });
}
