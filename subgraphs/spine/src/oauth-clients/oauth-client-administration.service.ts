import { keyStatement } from "@factory/runtime/db/key-statement";
import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import { readPage, SortedList } from "@factory/runtime/pagination/sorted-list";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { LockMode } from "@mikro-orm/postgresql";
import {
  lockPrincipalStatus,
  lockSecretHolders,
  requireActivePrincipal,
} from "../rights/access-control/active-principal-statement.js";
import { requireHeldScopes } from "../rights/access-control/held-scopes.js";
import { principalsBehind } from "../rights/access-control/holders-statement.js";
import { requireSignInForLastingRight } from "../rights/access-control/lasting-right.js";
import type { PermissionLossHandler } from "../rights/access-control/permission-loss.js";
import { isOwner } from "../rights/roles/owners.js";
import { redirectUriErrors } from "./check-client.js";
import { requireClientLimit } from "./client-limits.js";
import { type ClientSecrets, secretDigest } from "./client-secret.js";
import { disableClients, enableClient } from "./disable-clients.js";
import { OAuthClient } from "./oauth-client.entity.js";
import type { UpdateApiClientInput } from "./oauth-client.input.js";
import type { OAuthClientConnection, OAuthClientSecretType, OAuthClientType } from "./oauth-client.type.js";
import {
  type OAuthClientRow,
  type OAuthClientView,
  oauthClientColumns,
  oauthClientFacts,
  oauthClientRowView,
  oauthClientView,
  withMark,
} from "./oauth-client.view.js";
import { mayEndAsOwner, requireNoTakeover, requireOwnersWill } from "./platform-made-clients.js";
import { checkKeySet } from "./public-keys.js";
import { changeKeys, recordSecretHolders, requireHolderAtWork } from "./secret-changes.js";
import { clientsHeldOnlyBy, loadActiveClients } from "./secret-holders.js";

const oneClient = keyStatement(
  "one_api_client",
  `select ${oauthClientColumns} from api_clients
   where tenant_id = scope.tenant and client_id = $2 and not platform_admin`,
  "text",
);

/** A tenant's list of OAuth clients. */
export const sortedOAuthClients = new SortedList<OAuthClientType, TenantStatement>({
  list: "apiClients",
  columns: {
    createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAt }) => createdAt },
    name: { column: "name", type: "text", of: ({ name }) => name },
  },
  id: { column: "client_id", type: "text", of: ({ clientId }) => clientId },
  byDefault: "createdAt",
  statement: (name, { after, order, limit }) =>
    tenantStatement(
      name,
      `select ${oauthClientColumns} from api_clients
       where tenant_id = scope.tenant and not platform_admin ${after}
       order by ${order} limit ${limit}`,
    ),
});

interface AdministrationParts {
  readonly database: Database;
  readonly secrets: ClientSecrets;
  readonly cursors: CursorSeal;
  readonly onPermissionLoss: PermissionLossHandler;
}

/**
 * Reads and changes the OAuth clients in the caller's own tenant. The platform's administrator client belongs to its
 * operator and is not found here.
 */
export class OAuthClientAdministrationService {
  readonly #database: Database;
  readonly #secrets: ClientSecrets;
  readonly #cursors: CursorSeal;
  readonly #onPermissionLoss: PermissionLossHandler;

  constructor(parts: AdministrationParts) {
    this.#database = parts.database;
    this.#secrets = parts.secrets;
    this.#cursors = parts.cursors;
    this.#onPermissionLoss = parts.onPermissionLoss;
  }

  async find(context: RequestContext, clientId: string): Promise<OAuthClientType | undefined> {
    const row = await this.#database.reader.row<OAuthClientRow>(oneClient, tenantOf(context), clientId);
    return row && oauthClientRowView(row);
  }

  list(context: RequestContext, request: PageRequest<never>): Promise<OAuthClientConnection> {
    const list = { reader: this.#database.reader, cursors: this.#cursors, tenant: tenantOf(context) };
    return readPage(sortedOAuthClients, list, request, oauthClientRowView);
  }

  disable(context: RequestContext, clientId: string): Promise<OAuthClientType> {
    return this.#change(context, { field: "disableApiClient", clientId }, async (client, transaction) => {
      await disableClients(transaction, [client]);
      await this.#onPermissionLoss(transaction, [clientId]);
    });
  }

  enable(context: RequestContext, clientId: string): Promise<OAuthClientType> {
    return this.#change(context, { field: "enableApiClient", clientId }, async (client, transaction) => {
      if (client.status === "Active") return;
      await requireOwnersWill(transaction, principalOf(context), client);
      await requireHolderAtWork(transaction, client);
      await requireClientLimit(transaction, { isNew: false });
      enableClient(transaction, client);
    });
  }

  /**
   * Disables the Active clients whose secret only this user knows, itself or through other such clients. The user and
   * the owners need no further scope; others need every scope that these clients have.
   */
  disableHeldBy(context: RequestContext, userId: string): Promise<OAuthClientView[]> {
    const principal = principalOf(context);
    return idempotentMutation(this.#database, context, {
      field: "disableUserApiClients",
      arguments: { userId },
      commit: async (transaction) => {
        await lockSecretHolders(transaction);
        if ((await lockPrincipalStatus(transaction, userId)) === undefined || decodeId("usr", userId) === undefined)
          throw new DomainError("NOT_FOUND", { detail: "The tenant has no user with this id." });
        const clients = await loadActiveClients(transaction, await clientsHeldOnlyBy(transaction, userId));
        const isOwn = principal.subject === userId && principal.principalType === "User";
        if (!isOwn && !(principal.principalType === "User" && (await isOwner(transaction, principal.subject))))
          requireHeldScopes(
            context,
            clients.flatMap(({ scopes }) => scopes),
            "A caller can disable only clients whose scopes its own token holds.",
          );
        await disableClients(transaction, clients);
        const ids = clients.map(({ clientId }) => clientId);
        if (ids.length > 0) await this.#onPermissionLoss(transaction, ids);
        return clients.map(oauthClientView);
      },
    });
  }

  update(context: RequestContext, clientId: string, input: UpdateApiClientInput): Promise<OAuthClientType> {
    const keys = input.jwks == null ? undefined : checkKeySet(input.jwks);
    const errors = [...redirectUriErrors(input.redirectUris ?? []), ...(keys?.errors ?? [])];
    if (errors.length > 0)
      throw new DomainError("API_CLIENT_INVALID", {
        detail: "The changed client would not be safe. Correct the members in errors.",
        errors,
      });
    return this.#change(context, { field: "updateApiClient", clientId, input }, async (client, transaction) => {
      if (input.redirectUris != null) changeRedirectUris(client, input.redirectUris);
      if (keys) {
        await requireNoTakeover(transaction, principalOf(context), client);
        const by = await principalsBehind(transaction, principalOf(context).subject);
        await changeKeys(transaction, client, { keys: keys.keySet, by });
      }
      if (input.name != null) client.name = input.name;
      recordClientEvent(transaction, "ApiClientUpdated", client);
    });
  }

  /** Replaces the secret. Earlier tokens stay valid only if the same holder gets the new secret. */
  async rotateSecret(context: RequestContext, clientId: string): Promise<OAuthClientSecretType> {
    // also for a repeated request, whose stored result leads to the secret
    await requireSignInForLastingRight(this.#database, context);
    const rotatedClient = await idempotentMutation(this.#database, context, {
      field: "rotateApiClientSecret",
      arguments: { clientId },
      commit: async (transaction) => {
        const client = await findToChange(context, transaction, { field: "rotateApiClientSecret", clientId });
        if (client.isPublic || client.jwks)
          throw new DomainError("CONFLICT", {
            detail: "The client has no secret, so its secret cannot be rotated. It is public or has keys.",
          });
        await requireNoTakeover(transaction, principalOf(context), client);
        const secretNonce = this.#secrets.newNonce();
        client.secretNonce = secretNonce;
        client.secretDigest = secretDigest(this.#secrets.derive(clientId, secretNonce));
        const holders = await principalsBehind(transaction, principalOf(context).subject);
        await recordSecretHolders(transaction, client, holders);
        recordClientEvent(transaction, "ApiClientSecretRotated", client);
        return { ...oauthClientView(client), secretNonce };
      },
    });
    const { secretNonce, ...client } = rotatedClient;
    return { ...withMark(client), clientSecret: this.#secrets.derive(clientId, secretNonce) };
  }

  async #change(
    context: RequestContext,
    { field, clientId, ...changeArguments }: { field: string; clientId: string; input?: UpdateApiClientInput },
    change: (client: OAuthClient, transaction: Transaction) => Promise<void> | void,
  ): Promise<OAuthClientType> {
    const changedClient = await idempotentMutation(this.#database, context, {
      field,
      arguments: { clientId, ...changeArguments },
      prepare: async () => {
        if (field !== "disableApiClient") await requireSignInForLastingRight(this.#database, context);
      },
      commit: async (transaction) => {
        const client = await findToChange(context, transaction, { field, clientId });
        await change(client, transaction);
        return oauthClientView(client);
      },
    });
    return withMark(changedClient);
  }
}

/**
 * The client, locked. Throws `INSUFFICIENT_SCOPE` unless the caller holds all its scopes, or disables a platform client
 * as an owner.
 */
async function findToChange(
  context: RequestContext,
  transaction: Transaction,
  { field, clientId }: { readonly field: string; readonly clientId: string },
): Promise<OAuthClient> {
  const { em, tenant } = transaction;
  await requireActivePrincipal(transaction, principalOf(context).subject);
  const row = { tenantId: tenant.tenantId, clientId, platformAdmin: false };
  const client = await em.findOne(OAuthClient, row, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!client) throw new DomainError("NOT_FOUND", { detail: "The tenant has no client with this id." });
  if (field === "disableApiClient" && (await mayEndAsOwner(transaction, principalOf(context), client))) return client;
  requireHeldScopes(context, client.scopes, "A caller can change only a client whose scopes its own token holds.");
  return client;
}

function changeRedirectUris(client: OAuthClient, redirectUris: readonly string[]): void {
  // such a client's users are not asked for consent, so its codes must not go to other addresses
  if (client.firstParty && client.tenantId !== platformTenantId)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail:
        "The redirect URIs of a first-party client cannot be changed in a tenant. A platform administrator may create another client.",
    });
  if (!client.grantTypes.includes("authorization_code"))
    throw new DomainError("API_CLIENT_INVALID", {
      detail: "Users do not sign in at this client, so it has no redirect URIs.",
      errors: [
        {
          pointer: "/input/redirectUris",
          code: "UNKNOWN_VALUE",
          detail: "Only clients with the grant type authorization_code have redirect URIs.",
        },
      ],
    });
  client.redirectUris = [...new Set(redirectUris)];
}

function recordClientEvent({ record }: Transaction, type: EventType, client: OAuthClient): void {
  record({ type, subject: `clients/${client.clientId}`, data: oauthClientFacts(client) });
}
