import { randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { ValueSeal } from "@factory/runtime/sealing/value-seal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { CredentialService } from "../../credentials/credentials/credential.service.js";
import type { OAuth2Description } from "../../providers/provider-drivers/provider-driver.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ConnectionService } from "../connections/connection.service.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import type { ConnectionStates } from "../connections/connection-moves.js";
import { callableStates, requireCallableProvider } from "../connections/connection-references.js";
import { lockedConnection } from "../connections/locked-connection.js";
import type { Verification } from "../connections/verification.js";
import type { VendorTokens } from "../vendor-calls/token-answer.js";
import type { TokenEndpoint } from "../vendor-calls/token-endpoint.js";
import type { TokenStore } from "../vendor-calls/token-store.js";
import { authorizationMs } from "./authorization-links.js";
import {
  type AuthorizationRow,
  beginAuthorization,
  byState,
  byTicket,
  consumeState,
} from "./authorization-statements.js";
import { digestOf, hasDigest } from "./digest.js";
import { linkIsOver, PersonRefusal } from "./person-refusal.js";
import type { RedirectUris } from "./redirect-uris.js";
import { authorizationPage, authorizationRequest, tokenHost } from "./vendor-authorization-url.js";

interface FlowServices {
  readonly database: Database;
  readonly workers: Pool;
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
  readonly credentials: CredentialService;
  readonly states: ConnectionStates;
  readonly verification: Verification;
  readonly endpoint: TokenEndpoint;
  readonly tokens: TokenStore;
  readonly seal: ValueSeal;
  readonly redirectUris: RedirectUris;
  readonly clock: () => Date;
}

/** The facts on the page that asks the person. */
export interface AskedAuthorization {
  readonly displayName: string;
  readonly providerKey: string;
  readonly requestedBy: string;
  readonly vendor: URL;
  /** The host that gets the vendor's code, and gives the tokens for it. */
  readonly tokenHost: string;
  /** The ticket's digest. */
  readonly link: string;
}

/** The members that a vendor sends back with the browser (RFC 6749, section 4.1.2, and RFC 9207). */
interface AuthorizationAnswer {
  /** The provider that the path names. */
  readonly providerId: string;
  readonly state: string;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly issuer: string | undefined;
}

interface Found {
  readonly row: AuthorizationRow;
  readonly tenant: Tenant;
  readonly connection: ConnectionRecord;
  readonly providerKey: string;
  readonly oauth2: OAuth2Description;
  readonly vendor: URL;
}

/** The refusals by people and vendors that have their own text (RFC 6749, section 4.1.2.1). */
const vendorErrors: Readonly<Record<string, string>> = {
  access_denied: "The access was not allowed at the vendor. Nothing was changed.",
  temporarily_unavailable: "The vendor cannot answer now. Ask for a new link later.",
  server_error: "The vendor cannot answer now. Ask for a new link later.",
  invalid_scope: "The vendor refuses the scopes that the provider names. Change its driver, then ask for a new link.",
};

const maxCodeLength = 4096;

/** A person's way from a link over the vendor's pages back to the platform. */
export class AuthorizationFlow {
  readonly #services: FlowServices;

  constructor(services: FlowServices) {
    this.#services = services;
  }

  /** Returns the facts on the link's page. Following a link changes nothing, since programs follow links too. */
  async ask(ticket: string): Promise<AskedAuthorization> {
    const { row, connection, providerKey, oauth2, vendor } = await this.#found(byTicket, ticket);
    const facts = { displayName: connection.displayName, providerKey, requestedBy: row.requested_by };
    return { ...facts, vendor, tokenHost: tokenHost(oauth2, connection), link: row.ticket_hash };
  }

  /** Uses the link, binds the way to the browser that holds the cookie `browser`, and returns the vendor's page. */
  async begin(ticket: string, browser: string, cause: Cause): Promise<URL> {
    const { database, credentials, seal, redirectUris, clock } = this.#services;
    const { row, tenant, connection, oauth2, vendor } = await this.#found(byTicket, ticket);
    if (connection.credentialId === null) throw withoutCredential();
    const { material } = await credentials.openVersion(tenant, cause, connection.credentialId, "current");
    const clientId = material["clientId"];
    if (typeof clientId !== "string") throw withoutCredential();
    const [state, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
    const now = clock();
    const values = beginAuthorization.valuesOf({
      ...{ tenant: row.tenant_id, authorization: row.authorization_id, now },
      ...{ stateHash: digestOf(state), browserHash: digestOf(browser) },
      sealedVerifier: seal.seal(verifier, rowOf(row)),
      expiresAt: new Date(now.getTime() + authorizationMs),
    });
    const begunRows = await database.transaction(tenant, { ...cause, actorId: row.requested_by }, ({ execute }) =>
      execute(beginAuthorization, values),
    );
    if (begunRows.length === 0) throw linkIsOver();
    const redirectUri = redirectUris.of(connection.providerId);
    return authorizationRequest(vendor, oauth2, { clientId, redirectUri, state, verifier });
  }

  /** The digest of the ticket from which this state comes. It names the browser's cookie. */
  async linkOf(state: string): Promise<string> {
    return (await this.#row(byState, state)).ticket_hash;
  }

  /**
   * Takes the vendor's answer from the browser that began: exchanges the code, stores the tokens, and verifies the
   * connection. A process that dies after the state was used leaves the connection as it was; the person needs a new
   * link then.
   */
  async complete(answer: AuthorizationAnswer, browser: string | undefined, cause: Cause): Promise<string> {
    const authorization = await this.#found(byState, answer.state);
    const { row, tenant, connection, oauth2 } = authorization;
    if (connection.providerId !== answer.providerId) throw linkIsOver();
    if (browser === undefined || !hasDigest(browser, row.browser_hash))
      throw new PersonRefusal(
        403,
        "Another browser began this authorization. Open the link in one browser, and finish in the same one.",
      );
    const { database, clock, seal, redirectUris } = this.#services;
    const actor = { ...cause, actorId: row.requested_by };
    const usedRows = await database.transaction(tenant, actor, ({ execute }) =>
      execute(consumeState, [row.tenant_id, row.authorization_id, clock()]),
    );
    if (usedRows.length === 0) throw linkIsOver();
    const code = codeOf(answer, oauth2);
    const tokens = await this.#exchange(authorization, actor, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUris.of(connection.providerId),
      code_verifier: seal.open(row.sealed_verifier ?? "", rowOf(row)).text,
    });
    await this.#store(tenant, actor, connection, tokens);
    return connection.displayName;
  }

  async #exchange({ tenant, connection }: Found, cause: Cause, grant: Record<string, string>): Promise<VendorTokens> {
    try {
      return await this.#services.endpoint.exchange({ tenant, cause, connection }, grant);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === "UNAVAILABLE") throw error;
      throw new PersonRefusal(
        502,
        `The vendor's token endpoint did not accept the authorization (${error.code}). Ask for a new link.`,
      );
    }
  }

  async #store(
    tenant: Tenant,
    cause: Cause,
    { connectionId, providerId }: ConnectionRecord,
    tokens: VendorTokens,
  ): Promise<void> {
    const { database, states, tokens: store, verification } = this.#services;
    await database.transaction(tenant, cause, async (transaction) => {
      // A provider that is being disabled disables its connections, and this one must be among them.
      await requireCallableProvider(transaction, providerId);
      const { status } = await lockedConnection(transaction, connectionId);
      await store.store(transaction, connectionId, tokens);
      transaction.audit({ operation: "authorizeConnection", subject: `connections/${connectionId}` });
      if (status !== "Active" && status !== "AuthorizationRequired") return;
      const reason = "A person has authorized the connection.";
      const active = await states.moveIn(transaction, connectionId, "Active", { reason });
      await verification.start(transaction, active, { authorized: true });
    });
  }

  async #row(statement: { readonly name: string; readonly text: string }, secret: string): Promise<AuthorizationRow> {
    const { workers, clock } = this.#services;
    const { rows } = await workers.query<AuthorizationRow>({ ...statement, values: [digestOf(secret), clock()] });
    if (!rows[0]) throw linkIsOver();
    return rows[0];
  }

  async #found(statement: { readonly name: string; readonly text: string }, secret: string): Promise<Found> {
    const { connections, providers } = this.#services;
    const row = await this.#row(statement, secret);
    const tenant = { tenantId: encodeId("ten", row.tenant_id), uuid: row.tenant_id };
    const connection = await connections.record(tenant, encodeId("con", row.connection_id));
    if (!connection) throw linkIsOver();
    const provider = await providers.record(tenant, connection.providerId);
    const oauth2 = provider?.driver.oauth2;
    if (provider && !callableStates.includes(provider.status))
      throw new PersonRefusal(
        409,
        `The provider of the connection is ${provider.status}, so nobody can authorize the connection now.`,
      );
    const vendor = authorizationPage(oauth2, connection);
    if (!provider || !oauth2 || !vendor)
      throw new PersonRefusal(409, "The provider of the connection names no authorization page any more.");
    return { row, tenant, connection, providerKey: provider.key, oauth2, vendor };
  }
}

const rowOf = ({ tenant_id, authorization_id }: AuthorizationRow) => `${tenant_id}|${authorization_id}`;

const withoutCredential = () =>
  new PersonRefusal(
    409,
    "The connection has no OAuth 2 client: its credentialRef names no credential with a clientId. Change it, then open the link again.",
  );

/**
 * The code, if the answer comes from the issuer that the driver names (RFC 9207): another server's answer is not sent
 * to this vendor's token endpoint.
 */
function codeOf({ code, error, issuer }: AuthorizationAnswer, oauth2: OAuth2Description): string {
  if (oauth2.issuer !== undefined && issuer !== oauth2.issuer)
    throw new PersonRefusal(400, "The answer comes from another authorization server than the one that was asked.");
  if (error !== undefined)
    throw new PersonRefusal(
      400,
      (Object.hasOwn(vendorErrors, error) ? vendorErrors[error] : undefined) ??
        "The vendor answered with an error. Ask for a new link.",
    );
  if (code === undefined || code === "" || code.length > maxCodeLength)
    throw new PersonRefusal(400, "The answer of the vendor has no code. Ask for a new link.");
  return code;
}
