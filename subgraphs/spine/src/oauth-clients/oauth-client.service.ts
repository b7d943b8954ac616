import { randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { requireActivePrincipal } from "../rights/access-control/active-principal-statement.js";
import { requireHeldScopes } from "../rights/access-control/held-scopes.js";
import { principalsBehind } from "../rights/access-control/holders-statement.js";
import { requireSignInForLastingRight } from "../rights/access-control/lasting-right.js";
import { isHeldByPlatform } from "../rights/access-control/platform-hold-statement.js";
import { unknownTenant } from "../tenants/tenants/find-tenant.js";
import type { TenantService } from "../tenants/tenants/tenant.service.js";
import { type CheckedClient, checkClient } from "./check-client.js";
import { requireClientLimit } from "./client-limits.js";
import { type ClientSecrets, secretDigest } from "./client-secret.js";
import { OAuthClient } from "./oauth-client.entity.js";
import type { CreateApiClientInput } from "./oauth-client.input.js";
import type { OAuthClientSecretType } from "./oauth-client.type.js";
import { type OAuthClientView, oauthClientFacts, oauthClientView, withMark } from "./oauth-client.view.js";
import { type PlatformClientNotices, requirePlatformClientsAllowed } from "./platform-made-clients.js";

/** The stored answer for a repeated request: the secret's nonce instead of the secret. */
type StoredClient = OAuthClientView & { secretNonce: string | null };

interface OAuthClientParts {
  readonly database: Database;
  readonly secrets: ClientSecrets;
  readonly tenants: TenantService;
  readonly notices: PlatformClientNotices;
}

interface Creation {
  readonly field: string;
  readonly arguments: unknown;
  readonly tenant: Tenant;
  /** Whether the platform makes the client in another tenant. */
  readonly byPlatform: (transaction: Transaction) => Promise<boolean> | boolean;
}

/** Creates OAuth clients. */
export class OAuthClientService {
  readonly #parts: OAuthClientParts;

  constructor(parts: OAuthClientParts) {
    this.#parts = parts;
  }

  /** Creates a client in the caller's own tenant, with scopes that the caller holds. */
  async createOwn(context: RequestContext, input: CreateApiClientInput): Promise<OAuthClientSecretType> {
    if (input.firstParty === true)
      throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
        detail: "Only a platform administrator may create a first-party client. Leave firstParty out.",
      });
    const tenant = tenantOf(context);
    const checkedClient = checkClient(input, tenant.tenantId);
    requireHeldScopes(context, checkedClient.scopes);
    const byPlatform = (transaction: Transaction) => isHeldByPlatform(transaction, principalOf(context));
    return this.#create(context, { field: "createApiClient", arguments: { input }, tenant, byPlatform }, checkedClient);
  }

  /** Creates a client in any tenant that is Active. The caller is a platform administrator. */
  async createForTenant(
    context: RequestContext,
    tenantId: string,
    input: CreateApiClientInput,
  ): Promise<OAuthClientSecretType> {
    const checkedClient = checkClient(input, tenantId);
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    const creation = { field: "createTenantApiClient", arguments: { tenantId, input }, tenant: tenantWithId(tenantId) };
    return this.#create(context, { ...creation, byPlatform: () => tenantId !== platformTenantId }, checkedClient);
  }

  async #create(
    context: RequestContext,
    { byPlatform, ...mutation }: Creation,
    checkedClient: CheckedClient,
  ): Promise<OAuthClientSecretType> {
    const { database, secrets, tenants, notices } = this.#parts;
    const { subject } = principalOf(context);
    // also for a repeated request, whose stored result has the secret
    await requireSignInForLastingRight(database, context);
    const { secretNonce, ...client } = await idempotentMutation<StoredClient>(database, context, {
      ...mutation,
      commit: async (transaction) => {
        await tenants.requireActive(transaction);
        await requireActivePrincipal(transaction, subject);
        await requireClientLimit(transaction, { isNew: true });
        const createdByPlatform = await byPlatform(transaction);
        if (createdByPlatform) await requirePlatformClientsAllowed(transaction);
        const holders = (await principalsBehind(transaction, subject)).join(" ");
        const client = this.#persist(transaction, { ...checkedClient, createdByPlatform }, holders);
        if (createdByPlatform) await notices.tell(transaction, client);
        return client;
      },
    });
    const clientSecret = secretNonce === null ? null : secrets.derive(client.clientId, secretNonce);
    return { ...withMark(client), clientSecret };
  }

  #persist(
    { em, tenant, record }: Transaction,
    checkedClient: CheckedClient & Pick<OAuthClient, "createdByPlatform">,
    holder: string,
  ): StoredClient {
    const { secrets } = this.#parts;
    const clientId = newId("cli");
    const secretNonce = checkedClient.isPublic || checkedClient.jwks ? null : secrets.newNonce();
    // a client without a secret gets the digest of random bytes, so that no secret ever matches
    const secret = secretNonce === null ? randomBytes(32).toString("hex") : secrets.derive(clientId, secretNonce);
    const client = em.create(OAuthClient, {
      ...checkedClient,
      tenantId: tenant.tenantId,
      clientId,
      platformAdmin: false,
      status: "Active",
      disabledWith: null,
      secretNonce,
      secretDigest: secretDigest(secret),
      secretHeldBy: checkedClient.isPublic ? null : holder,
      createdAt: new Date(),
    });
    em.persist(client);
    record({ type: "ApiClientCreated", subject: `clients/${clientId}`, data: oauthClientFacts(client) });
    return { ...oauthClientView(client), secretNonce };
  }
}
