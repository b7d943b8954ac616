import { randomBytes } from "node:crypto";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { requireActivePrincipal } from "../access-control/active-principal-statement.js";
import { requireHeldScopes } from "../access-control/held-scopes.js";
import { unknownTenant } from "../tenants/find-tenant.js";
import type { TenantService } from "../tenants/tenant.service.js";
import { type CheckedClient, checkClient } from "./check-client.js";
import { requireClientLimit } from "./client-limits.js";
import { type ClientSecrets, secretDigest } from "./client-secret.js";
import { OAuthClient } from "./oauth-client.entity.js";
import type { CreateApiClientInput } from "./oauth-client.input.js";
import type { OAuthClientSecretType } from "./oauth-client.type.js";
import { type OAuthClientView, oauthClientFacts, oauthClientView } from "./oauth-client.view.js";

/** The stored answer for a repeated request: the nonce of the secret in place of the secret. */
type StoredClient = OAuthClientView & { secretNonce: string | null };

/** Creates OAuth clients. */
export class OAuthClientService {
  readonly #database: Database;
  readonly #secrets: ClientSecrets;
  readonly #tenants: TenantService;

  constructor(database: Database, secrets: ClientSecrets, tenants: TenantService) {
    this.#database = database;
    this.#secrets = secrets;
    this.#tenants = tenants;
  }

  /** Creates a client in the caller's own tenant, with scopes that the caller holds. */
  async createOwn(context: RequestContext, input: CreateApiClientInput): Promise<OAuthClientSecretType> {
    if (input.firstParty === true)
      throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
        detail: "Only a platform administrator may create a first-party client. Leave firstParty out.",
      });
    const tenant = tenantOf(context);
    const checked = checkClient(input, tenant.tenantId);
    requireHeldScopes(context, checked.scopes);
    return this.#create(context, { field: "createApiClient", arguments: { input }, tenant }, checked);
  }

  /** Creates a client in any tenant that is Active. The caller is a platform administrator. */
  async createForTenant(
    context: RequestContext,
    tenantId: string,
    input: CreateApiClientInput,
  ): Promise<OAuthClientSecretType> {
    const checked = checkClient(input, tenantId);
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    const mutation = { field: "createTenantApiClient", arguments: { tenantId, input }, tenant: tenantWithId(tenantId) };
    return this.#create(context, mutation, checked);
  }

  async #create(
    context: RequestContext,
    mutation: { field: string; arguments: unknown; tenant: Tenant },
    checked: CheckedClient,
  ): Promise<OAuthClientSecretType> {
    const { secretNonce, ...client } = await idempotentMutation<StoredClient>(this.#database, context, {
      ...mutation,
      commit: async (transaction) => {
        await this.#tenants.requireActive(transaction);
        await requireActivePrincipal(transaction, principalOf(context).subject);
        await requireClientLimit(transaction, true);
        return this.#persist(transaction, checked, principalOf(context).subject);
      },
    });
    const clientSecret = secretNonce === null ? null : this.#secrets.derive(client.clientId, secretNonce);
    return { ...client, clientSecret };
  }

  #persist({ em, tenant, record }: Transaction, checked: CheckedClient, holder: string): StoredClient {
    const clientId = newId("cli");
    const secretNonce = checked.isPublic || checked.jwks ? null : this.#secrets.newNonce();
    // a client without a secret gets the digest of random bytes, so that no secret ever matches
    const secret = secretNonce === null ? randomBytes(32).toString("hex") : this.#secrets.derive(clientId, secretNonce);
    const client = em.create(OAuthClient, {
      ...checked,
      tenantId: tenant.tenantId,
      clientId,
      platformAdmin: false,
      status: "Active",
      secretNonce,
      secretDigest: secretDigest(secret),
      secretHeldBy: checked.isPublic ? null : holder,
      createdAt: new Date(),
    });
    em.persist(client);
    record({ type: "ApiClientCreated", subject: `clients/${clientId}`, data: oauthClientFacts(client) });
    return { ...oauthClientView(client), secretNonce };
  }
}
