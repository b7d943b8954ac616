import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { mailAddressKey } from "@factory/runtime/internet-names/mail-address";
import type { Cause } from "@factory/runtime/messages/envelope";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import type { PublishApprovals, Publisher, PublishingDecision } from "../../../approvals/publish-approvals.js";
import { type AccountFacts, readUser } from "../../../people/users/user.view.js";
import { type VersionedAccess, versionedAccess } from "../../../rights/roles/effective-access.js";
import { platformAdminRole } from "../../../rights/roles/system-roles.js";
import type { TenantSettings } from "../../../settings/configuration/tenant-settings.js";
import type { TenantState } from "../../../tenants/tenants/tenant.states.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { namedOf, requireApproved } from "./required-approval.js";
import {
  type UserAccessRow,
  type UserAccountRow,
  userAccess,
  userAccountById,
  userAccountsByEmail,
} from "./user-account-statement.js";

/** A user and their tenant as the authorization server needs them. */
export interface UserAccount extends Omit<AccountFacts, "tenantId"> {
  /** The person has used a link that was mailed to this address. */
  readonly emailVerified: boolean;
  readonly tenant: Tenant;
  readonly tenantSlug: string;
  readonly tenantStatus: TenantState;
  readonly editionCode: string;
  /** Raised when the tenant is closed or opened. */
  readonly tenantVersion: number;
}

/** A user's permissions through one client. */
export interface UserAccess {
  readonly roles: readonly string[];
  /** Those client scopes that the user's roles give. */
  readonly scopes: readonly string[];
  readonly platformAdmin: boolean;
  /** The user's rights version. The statement that reads roles and scopes reads it, too. */
  readonly version: number;
  /** The publishing scopes that need an approval first, and the claims in a token that may publish. */
  readonly publishing: PublishingDecision;
  /** So many seconds after the sign-in the user has to sign in again. */
  readonly sessionSeconds: number;
  /** The tenant wants a second factor from every user. */
  readonly secondFactorRequired: boolean;
}

interface UserAccountsParts {
  /** Connects as the spine's worker role: a user's tenant is not known before. */
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
      values: [mailAddressKey(email), tenantUuid ?? null, slug],
    });
    return rows.map(accountOf).filter((account) => servesUser(client, account));
  }

  /**
   * The user's current roles and scopes through this client. Throws `OAuthError` if the user was disabled, or has got a
   * new password, since the account was read.
   */
  async access(account: UserAccount, client: RegisteredClient): Promise<UserAccess> {
    const { roles, scopes, version } = await this.#currentAccess(account);
    const scopeSet: ReadonlySet<string> = scopes;
    const { tenant } = account;
    const publishing = await this.#publishing.decide(
      publisherOf(account, client),
      client.scopes.filter((scope) => scopeSet.has(scope)),
    );
    const sessionHours = await this.#settings.get(tenant, "signIn.sessionHours");
    const secondFactor = await this.#settings.get(tenant, "signIn.secondFactor");
    return {
      roles,
      version,
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
    const namedScopes = namedOf(request.asked, withheld);
    if (namedScopes.length > 0)
      await requireApproved(this.#publishing.request(publisherOf(account, client), namedScopes, request.cause));
  }

  /** Read in one statement, since a token tells verifiers the version of exactly these facts. */
  async #currentAccess({ tenant, userId, signInVersion }: UserAccount): Promise<VersionedAccess> {
    const [row] = await this.#reader.rows<UserAccessRow>(userAccess, tenant, userId, decodeId("usr", userId));
    if (row?.status !== "Active" || row.sign_in_version !== signInVersion) throw invalidGrant();
    return versionedAccess(row);
  }
}

/**
 * A client serves the users in its tenant. A first-party client in the platform's tenant serves the users in all
 * tenants.
 */
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
  const { tenantId, ...user } = readUser(row);
  return {
    ...user,
    emailVerified: row.email_verified,
    tenant: tenantWithId(tenantId),
    ...{ tenantSlug: row.slug, tenantStatus: row.tenant_status, editionCode: row.edition_code },
    tenantVersion: row.tenant_version,
  };
}
