import { setTimeout } from "node:timers/promises";
import type { TenantReader } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import type { PublishApprovals, Publisher, PublishingDecision } from "../../approvals/publish-approvals.js";
import type { TenantSettings } from "../../configuration/tenant-settings.js";
import { waitAfterRevocationMs } from "../../revocations/wait-after-revocation.js";
import { type Access, effectiveAccess } from "../../roles/effective-access.js";
import { platformAdminRole } from "../../roles/system-roles.js";
import type { TenantState } from "../../tenants/tenant.states.js";
import { emailKey } from "../../users/email-key.js";
import type { UserState } from "../../users/user.states.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { markReadStart, readStartMs } from "../oauth-requests/read-time.js";
import { namedOf, requireApproved } from "./required-approval.js";
import { type UserAccountRow, userAccountById, userAccountsByEmail } from "./user-account-statement.js";

/** A user and their tenant as the authorization server needs them. */
export interface UserAccount {
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  /** The person has used a link that was mailed to this address. */
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  readonly status: UserState;
  readonly passwordHash: string;
  /** Epoch milliseconds. Sessions, refresh tokens and codes that are older are refused. */
  readonly tokensFrom: number;
  readonly tenant: Tenant;
  readonly tenantSlug: string;
  readonly tenantStatus: TenantState;
  readonly editionCode: string;
}

/** The permissions of a user through one client. */
export interface UserAccess {
  readonly roles: readonly string[];
  /** Those scopes of the client that the user's roles give. */
  readonly scopes: readonly string[];
  readonly platformAdmin: boolean;
  /** The publishing scopes that need an approval first, and the claims of a token that may publish. */
  readonly publishing: PublishingDecision;
  /** So many seconds after the sign-in the user has to sign in again. */
  readonly sessionSeconds: number;
  /** The tenant wants a second factor of every user. */
  readonly secondFactorRequired: boolean;
}

interface UserAccountsParts {
  /** Connects as the worker role of the spine: the tenant of a user is not known before. */
  readonly pool: Pool;
  readonly reader: TenantReader;
  readonly settings: TenantSettings;
  readonly publishing: PublishApprovals;
}

/** Looks users up for the sign-in page and the token endpoint. */
export class UserAccounts {
  readonly #pool: Pool;
  readonly #reader: TenantReader;
  readonly #settings: TenantSettings;
  readonly #publishing: PublishApprovals;

  constructor({ pool, reader, settings, publishing }: UserAccountsParts) {
    this.#pool = pool;
    this.#reader = reader;
    this.#settings = settings;
    this.#publishing = publishing;
  }

  /** In any state; undefined for an unknown id. */
  async byId(userId: string): Promise<UserAccount | undefined> {
    const uuid = decodeId("usr", userId);
    if (uuid === undefined) return undefined;
    const { rows } = await this.#pool.query<UserAccountRow>({ ...userAccountById, values: [uuid] });
    return rows[0] && accountOf(rows[0]);
  }

  /** Users with this e-mail address that the client serves, ordered by tenant. `tenant` is a slug or an id. */
  async byEmail(email: string, client: RegisteredClient, tenant?: string): Promise<UserAccount[]> {
    // PostgreSQL cannot store NUL in text
    if (email.includes("\0") || tenant?.includes("\0")) return [];
    const tenantUuid = tenant === undefined ? undefined : decodeId("ten", tenant);
    const slug = tenant !== undefined && tenantUuid === undefined ? tenant : null;
    const { rows } = await this.#pool.query<UserAccountRow>({
      ...userAccountsByEmail,
      values: [emailKey(email), tenantUuid ?? null, slug],
    });
    return rows.map(accountOf).filter((account) => servesUser(client, account));
  }

  /** The roles and scopes of the user through this client, as of now. Throws `OAuthError` if the user was revoked meanwhile. */
  async access(account: UserAccount, client: RegisteredClient): Promise<UserAccess> {
    const { roles, scopes } = await this.#settledAccess(account, client);
    const held: ReadonlySet<string> = scopes;
    const { tenant } = account;
    const publishing = await this.#publishing.decide(
      publisherOf(account, client),
      client.scopes.filter((scope) => held.has(scope)),
    );
    const sessionHours = await this.#settings.get(tenant, "signIn.sessionHours");
    const secondFactor = await this.#settings.get(tenant, "signIn.secondFactor");
    return {
      roles,
      scopes: publishing.scopes,
      publishing,
      sessionSeconds: sessionHours * 3600,
      secondFactorRequired: secondFactor === "required",
      platformAdmin: account.tenant.tenantId === platformTenantId && roles.includes(platformAdminRole.code),
    };
  }

  /**
   * Throws an OAuth error that names the approval when the token request names a scope that needs one. A scope that is
   * not named is left out of the token instead.
   */
  async requireNoneWithheld(
    account: UserAccount,
    client: RegisteredClient,
    { publishing: { withheld } }: UserAccess,
    request: { asked: unknown; cause: Cause },
  ): Promise<void> {
    const asked = namedOf(request.asked, withheld);
    if (asked.length > 0)
      await requireApproved(this.#publishing.request(publisherOf(account, client), asked, request.cause));
  }

  /**
   * Verifiers refuse every token that is older than the newest revocation of its user. After a recent revocation this
   * waits until a new token is certainly newer, then reads the roles again.
   */
  async #settledAccess({ tenant, userId, tokensFrom }: UserAccount, client: RegisteredClient): Promise<Access> {
    const read = () => effectiveAccess(this.#reader, tenant, userId);
    const [access, waitMs] = await Promise.all([
      read(),
      waitAfterRevocationMs(this.#reader, tenant, userId, readStartMs()),
    ]);
    if (waitMs === undefined) return access;
    await setTimeout(waitMs);
    markReadStart();
    // the revocation may have disabled the user, or a new password may have ended what the token was asked with
    const now = await this.byId(userId);
    const error = accountError(now, client) ?? (now?.tokensFrom === tokensFrom ? undefined : invalidGrant());
    if (error) throw error;
    return read();
  }
}

/** A client serves the users of its tenant. A first-party client of the platform's tenant serves the users of all tenants. */
export function servesUser(client: RegisteredClient, { tenant }: Pick<UserAccount, "tenant">): boolean {
  return client.tenantId === tenant.tenantId || (client.firstParty && client.tenantId === platformTenantId);
}

/** The error with which the account is refused a token through this client; undefined if it may get one. */
export function accountError(account: UserAccount | undefined, client: RegisteredClient): OAuthError | undefined {
  if (account?.status !== "Active" || !servesUser(client, account)) return invalidGrant();
  if (account.tenantStatus !== "Active" || client.tenantStatus !== "Active")
    return new OAuthError(
      "TENANT_SUSPENDED",
      "invalid_grant",
      "The tenant of the user or of the client is not active. Ask a platform administrator.",
    );
  return undefined;
}

/** The same answer as oidc-provider gives to an unknown code or refresh token, so that it tells nothing about the user. */
export const invalidGrant = () => new OAuthError("VALIDATION_FAILED", "invalid_grant", "grant request is invalid");

const publisherOf = ({ tenant, userId }: UserAccount, { clientId }: RegisteredClient): Publisher => ({
  ...{ tenant, clientId, subject: userId },
  principalType: "User",
});

function accountOf(row: UserAccountRow): UserAccount {
  return {
    userId: encodeId("usr", row.user_id),
    email: row.email,
    emailVerified: row.email_verified,
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
