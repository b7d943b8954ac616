import type { Principal } from "@factory/runtime/auth/principal";
import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { isHeldByPlatform } from "../rights/access-control/platform-hold-statement.js";
import { hasOwner, isOwner } from "../rights/roles/owners.js";
import { settingNow } from "../settings/configuration/tenant-settings.js";
import { OAuthClient } from "./oauth-client.entity.js";
import { readClient } from "./oauth-client.view.js";

/** A client that the platform made in a tenant. */
type PlatformMadeClient = Pick<OAuthClient, "clientId" | "name" | "scopes">;

/** Tells the tenant's owners, in the transaction that makes the client. */
export type PlatformClientNotice = (transaction: Transaction, client: PlatformMadeClient) => Promise<void>;

/** How owners are told that the platform has made a client. */
export class PlatformClientNotices {
  readonly #notices: PlatformClientNotice[] = [];

  add(notice: PlatformClientNotice): void {
    this.#notices.push(notice);
  }

  async tell(transaction: Transaction, client: PlatformMadeClient): Promise<void> {
    for (const notice of this.#notices) await notice(transaction, client);
  }
}

/**
 * Throws PLATFORM_CLIENT_REFUSED where the tenant does not let the platform make clients. Before its first owner has
 * joined, the platform sets the tenant up, so the setting does not act yet.
 */
export async function requirePlatformClientsAllowed(transaction: Transaction): Promise<void> {
  if (await settingNow(transaction, "governance.allowPlatformClients")) return;
  if (!(await hasOwner(transaction))) return;
  throw new DomainError("PLATFORM_CLIENT_REFUSED", {
    detail:
      "The tenant does not let the platform create API clients in it, or take them over (governance.allowPlatformClients). Ask an owner of the tenant to do it.",
  });
}

/**
 * Throws PLATFORM_CLIENT_REFUSED when a client that the platform holds replaces another client's secret or keys, which
 * it does not hold, where the tenant does not let the platform make clients.
 */
export async function requireNoTakeover(
  transaction: Transaction,
  caller: Principal,
  { clientId }: Pick<OAuthClient, "clientId">,
): Promise<void> {
  if (!(await isHeldByPlatform(transaction, caller))) return;
  if (await isHeldByPlatform(transaction, { principalType: "Service", subject: clientId, clientId })) return;
  await requirePlatformClientsAllowed(transaction);
}

/**
 * Throws PLATFORM_CLIENT_REFUSED when a client that the platform holds enables one that the platform made, since an owner
 * may have disabled it.
 */
export async function requireOwnersWill(
  transaction: Transaction,
  caller: Principal,
  client: Pick<OAuthClient, "createdByPlatform">,
): Promise<void> {
  if (!client.createdByPlatform || !(await hasOwner(transaction))) return;
  if (!(await isHeldByPlatform(transaction, caller))) return;
  throw new DomainError("PLATFORM_CLIENT_REFUSED", {
    detail:
      "The platform made this client and the one that asks. Only a person of the tenant, or a client whose secret the tenant holds alone, enables it.",
  });
}

/**
 * Whether an owner disables a client that the platform made. That needs none of the client's scopes, since an
 * application's token holds fewer scopes than its owner.
 */
export async function mayEndAsOwner(
  transaction: Transaction,
  { principalType, subject, actors = [] }: Principal,
  client: Pick<OAuthClient, "createdByPlatform">,
): Promise<boolean> {
  if (!client.createdByPlatform || principalType !== "User" || actors.length > 0) return false;
  return isOwner(transaction, subject);
}

const listedMembers = ["clientId", "name", "scopes"] as const;

const activeOnes = {
  name: "active_platform_made_clients",
  text: `select ${columnsOf(OAuthClient, listedMembers)} from api_clients
    where tenant_id = $1 and created_by_platform and status = 'Active' order by created_at, client_id limit $2`,
};

/** The Active clients that the platform made in the tenant, the oldest first. */
export async function platformMadeClients(
  { execute, tenant }: Transaction,
  limit: number,
): Promise<PlatformMadeClient[]> {
  const values = [tenant.uuid, limit];
  return (await execute<RowOf<OAuthClient, (typeof listedMembers)[number]>>(activeOnes, values)).map(readClient);
}
