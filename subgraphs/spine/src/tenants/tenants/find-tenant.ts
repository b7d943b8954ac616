import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Tenant } from "./tenant.entity.js";

/** The transaction's tenant, its row locked until the transaction ends; null when it does not exist. */
export function lockTenant({ em, tenant: { tenantId } }: Transaction): Promise<Tenant | null> {
  return em.findOne(Tenant, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** As `lockTenant`; throws NOT_FOUND. */
export async function requireTenant(transaction: Transaction): Promise<Tenant> {
  const tenant = await lockTenant(transaction);
  if (!tenant) throw unknownTenant();
  return tenant;
}

/** NOT_FOUND, the same for a malformed id and for an unknown one. */
export function unknownTenant(): DomainError {
  return new DomainError("NOT_FOUND", { detail: "The tenant does not exist." });
}
