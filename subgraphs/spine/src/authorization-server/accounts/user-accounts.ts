import { setTimeout } from "node:timers/promises";
import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import { waitAfterRevocationMs } from "../../revocations/wait-after-revocation.js";
import { type Access, effectiveAccess } from "../../roles/effective-access.js";
import { platformAdminRole } from "../../roles/system-roles.js";
import type { TenantState } from "../../tenants/tenant.states.js";
import { emailKey } from "../../users/email-key.js";
import { recordSignIn } from "../../users/record-sign-in.js";
import type { UserState } from "../../users/user.states.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { markReadStart, readStartMs } from "../oauth-requests/read-time.js";
import { type UserAccountRow, userAccountById, userAccountsByEmail } from "./user-account-statement.js";

/** A user and his tenant as the authorization server needs them. */
export interface UserAccount {
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  readonly displayName: string | null;
  readonly status: UserState;
  readonly passwordHash: string;
  /** Epoch milliseconds; sessions, refresh tokens and codes of before are refused. */
  readonly tokensFrom: number;
  readonly tenant: Tenant;
  readonly tenantSlug: string;
  readonly tenantStatus: TenantState;
  readonly editionCode: string;
}

/** What a user may do through a client. */
export interface UserAccess {
  readonly roles: readonly string[];
  /** Of the client's scopes those that his roles give. */
  readonly scopes: readonly string[];
  readonly platformAdmin: boolean;
}

/** Users as the sign-in page, the token endpoint and the token exchange look them up. */
export class UserAccounts {
  readonly #pool: Pool;
  readonly #reader: TenantReader;

  constructor(pool: Pool, reader: TenantReader) {
    this.#pool = pool;
    this.#reader = reader;
  }

  /** Whatever his state is. */
  async byId(userId: string): Promise<UserAccount | undefined> {
    const uuid = decodeId("usr", userId);
    if (uuid === undefined) return undefined;
    const { rows } = await this.#pool.query<UserAccountRow>({ ...userAccountById, values: [uuid] });
    return rows[0] && accountOf(rows[0]);
  }

  /** Users of this address whom the client serves, ordered by tenant; `tenant` is a slug or an id. */
  async byEmail(email: string, client: RegisteredClient, tenant?: string): Promise<UserAccount[]> {
    // PostgreSQL has no NUL in text
    if (email.includes("\0") || tenant?.includes("\0")) return [];
    const tenantUuid = tenant === undefined ? undefined : decodeId("ten", tenant);
    const slug = tenant !== undefined && tenantUuid === undefined ? tenant : null;
    const { rows } = await this.#pool.query<UserAccountRow>({
      ...userAccountsByEmail,
      values: [emailKey(email), tenantUuid ?? null, slug],
    });
    return rows.map(accountOf).filter((account) => serves(client, account));
  }

  async access(account: UserAccount, client: RegisteredClient): Promise<UserAccess> {
    const { roles, scopes } = await this.#settledAccess(account, client);
    const held: ReadonlySet<string> = scopes;
    return {
      roles,
      scopes: client.scopes.filter((scope) => held.has(scope)),
      platformAdmin: account.tenant.tenantId === platformTenantId && roles.includes(platformAdminRole.code),
    };
  }

  /** A token must be newer than every revocation that its roles know of, or verifiers take it for one that does not. */
  async #settledAccess({ tenant, userId }: UserAccount, client: RegisteredClient): Promise<Access> {
    const read = () => effectiveAccess(this.#reader, tenant, userId);
    const [access, waitMs] = await Promise.all([
      read(),
      waitAfterRevocationMs(this.#reader, tenant, userId, readStartMs()),
    ]);
    if (waitMs === undefined) return access;
    await setTimeout(waitMs);
    markReadStart();
    // the revocation may have been that of the user himself
    const refusal = accountError(await this.byId(userId), client);
    if (refusal) throw refusal;
    return read();
  }

  async signedIn({ tenant, userId }: UserAccount): Promise<void> {
    await recordSignIn(this.#pool, tenant, userId);
  }
}

/** A client serves the users of its tenant; one of ours in the platform's tenant serves everybody's. */
export function serves(client: RegisteredClient, { tenant }: Pick<UserAccount, "tenant">): boolean {
  return client.tenantId === tenant.tenantId || (client.firstParty && client.tenantId === platformTenantId);
}

/** Why an account gets no token through this client; undefined when nothing stands against it. */
export function accountError(account: UserAccount | undefined, client: RegisteredClient): OAuthError | undefined {
  if (account?.status !== "Active" || !serves(client, account))
    return new OAuthError("VALIDATION_FAILED", "invalid_grant", "grant request is invalid");
  if (account.tenantStatus !== "Active" || client.tenantStatus !== "Active")
    return new OAuthError("TENANT_SUSPENDED", "invalid_grant", "The user's tenant is not active.");
  return undefined;
}

function accountOf(row: UserAccountRow): UserAccount {
  return {
    userId: encodeId("usr", row.user_id),
    email: row.email,
    displayName: row.display_name,
    status: row.status,
    passwordHash: row.password_hash,
    tokensFrom: row.tokens_from?.getTime() ?? 0,
    tenant: tenantWithId(encodeId("ten", row.tenant_id)),
    tenantSlug: row.slug,
    tenantStatus: row.tenant_status,
    editionCode: row.edition_code,
  };
}
