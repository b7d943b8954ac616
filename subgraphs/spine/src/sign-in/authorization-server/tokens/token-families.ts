import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { workerTransaction } from "@factory/runtime/unit-of-work/worker-transaction";
import type { Pool } from "pg";
import { recordRevocation } from "../../../ground/revocations/record-revocation.js";
import { platformTenant } from "../../../tenants/tenants/platform-tenant.js";
import { tenantOfClient, tenantOfUser } from "./family-owner-statement.js";

/** Which event tells that a token family ended; `Silent`: no event. */
type FamilyEndReason = "RefreshTokenReuseDetected" | "TokenRevoked" | "Silent";

interface GrantRow {
  account_id: string | null;
  client_id: string;
}

/** Token families: a grant and every token that came from it. They are revoked together (RFC 9700 section 4.14.2). */
export class TokenFamilies {
  readonly #pool: Pool;
  readonly #cause: () => Cause;

  /** `pool` connects as the spine's worker role; `cause` is asked for each event. */
  constructor(pool: Pool, cause: () => Cause) {
    this.#pool = pool;
    this.#cause = cause;
  }

  /** Deletes the grant with its tokens, revokes them, and records the reason's event. False if it had ended before. */
  async revoke(grantId: string, reason: FamilyEndReason): Promise<boolean> {
    const { rows } = await this.#pool.query<GrantRow>(
      "select account_id, payload->>'clientId' as client_id from oidc_artifacts where kind = 'Grant' and grant_id = $1",
      [grantId],
    );
    const [grant] = rows;
    if (!grant) return false;
    const tenant = await this.#tenantOf(grant);
    return workerTransaction(
      { pool: this.#pool, schema: "spine" },
      tenant,
      this.#cause(),
      async ({ execute, notify, record, audit }) => {
        // The grant first: a second request waits here for its row lock, then finds that the family has ended.
        const endedGrants = await execute(
          "delete from oidc_artifacts where kind = 'Grant' and grant_id = $1 returning grant_id",
          [grantId],
        );
        if (endedGrants.length === 0) return false;
        await execute("delete from oidc_artifacts where grant_id = $1", [grantId]);
        await recordRevocation({ execute, tenant, notify }, "Grant", grantId);
        const data = { tenantId: tenant.tenantId, clientId: grant.client_id, userId: grant.account_id, grantId };
        const subject = `users/${grant.account_id}`;
        if (reason === "RefreshTokenReuseDetected") record({ type: "RefreshTokenReuseDetected", subject, data });
        if (reason === "TokenRevoked") {
          audit({ operation: "POST /connect/revocation", clientid: grant.client_id });
          record({ type: "TokenRevoked", subject, data: { ...data, tokenId: null } });
        }
        return true;
      },
    );
  }

  async #tenantOf({ account_id: accountId, client_id: clientId }: GrantRow): Promise<Tenant> {
    const userId = accountId === null ? undefined : decodeId("usr", accountId);
    const { rows } = await this.#pool.query<{ tenant_id: string }>(
      userId === undefined ? tenantOfClient(clientId) : tenantOfUser(userId),
    );
    const [owner] = rows;
    return owner ? tenantWithId(encodeId("ten", owner.tenant_id)) : platformTenant;
  }
}
