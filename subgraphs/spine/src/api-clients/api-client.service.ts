import type { Database, Transaction } from "@factory/runtime/db/database";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { tenantScopes } from "@factory/schema/scopes";
import { type TenantService, unknownTenant } from "../tenants/tenant.service.js";
import { ApiClient } from "./api-client.entity.js";
import type { CreateApiClientInput } from "./api-client.input.js";
import type { ApiClientSecretType } from "./api-client.type.js";
import { type ClientSecrets, secretDigest } from "./client-secret.js";
import { type GrantType, grantTypes, isGrantType } from "./grant-types.js";

const principalTypes = ["Service", "Agent"] as const;
type ClientPrincipalType = (typeof principalTypes)[number];

interface CheckedInput {
  name: string;
  scopes: string[];
  grantTypes: GrantType[];
  principalType: ClientPrincipalType;
}

/** What is stored for a repeated request: the secret's nonce in place of the secret. */
type StoredClient = Omit<ApiClientSecretType, "clientSecret"> & { secretNonce: string };

export class ApiClientService {
  readonly #database: Database;
  readonly #secrets: ClientSecrets;
  readonly #tenants: TenantService;

  constructor(database: Database, secrets: ClientSecrets, tenants: TenantService) {
    this.#database = database;
    this.#secrets = secrets;
    this.#tenants = tenants;
  }

  /** For the caller's own tenant. Nobody gives away a scope that he does not hold himself. */
  async createOwn(context: RequestContext, input: CreateApiClientInput): Promise<ApiClientSecretType> {
    const checked = checkInput(input);
    const missing = checked.scopes.filter((scope) => !principalOf(context).scopes.has(scope));
    if (missing.length > 0)
      throw new DomainError("INSUFFICIENT_SCOPE", {
        detail: `The token does not hold ${missing.join(", ")}, which it would give away.`,
        requiredScopes: missing,
      });
    return this.#create(
      context,
      { field: "createApiClient", arguments: { input }, tenant: tenantOf(context) },
      checked,
    );
  }

  /** For any tenant that is Active, by a platform administrator. */
  async createForTenant(
    context: RequestContext,
    tenantId: string,
    input: CreateApiClientInput,
  ): Promise<ApiClientSecretType> {
    const checked = checkInput(input);
    if (decodeId("ten", tenantId) === undefined) throw unknownTenant();
    const mutation = { field: "createTenantApiClient", arguments: { tenantId, input }, tenant: tenantWithId(tenantId) };
    return this.#create(context, mutation, checked);
  }

  async #create(
    context: RequestContext,
    mutation: { field: string; arguments: unknown; tenant: Tenant },
    input: CheckedInput,
  ): Promise<ApiClientSecretType> {
    const { secretNonce, ...client } = await mutate<StoredClient>(this.#database, context, {
      ...mutation,
      commit: async (transaction) => {
        await this.#tenants.requireActive(transaction);
        return this.#persist(transaction, input);
      },
    });
    return { ...client, clientSecret: this.#secrets.derive(client.clientId, secretNonce) };
  }

  #persist({ em, tenant, record }: Transaction, input: CheckedInput): StoredClient {
    const clientId = newId("cli");
    const secretNonce = this.#secrets.newNonce();
    const createdAt = new Date();
    const client = { ...input, tenantId: tenant.tenantId, clientId };
    em.persist(
      em.create(ApiClient, {
        ...client,
        redirectUris: [],
        firstParty: false,
        isPublic: false,
        platformAdmin: false,
        status: "Active",
        secretNonce,
        secretDigest: secretDigest(this.#secrets.derive(clientId, secretNonce)),
        createdAt,
      }),
    );
    record({ type: "ApiClientCreated", subject: `clients/${clientId}`, data: client });
    return { ...client, secretNonce, createdAt: createdAt.toISOString() };
  }
}

/** Closed sets are content, not shape: 422, with a pointer to each refused value. */
function checkInput(input: CreateApiClientInput): CheckedInput {
  const scopes = [...new Set(input.scopes)];
  const asked = [...new Set(input.grantTypes ?? ["client_credentials"])];
  const principalType = principalTypes.find((type) => type === (input.principalType ?? "Service"));
  const errors: FieldError[] = [];
  input.scopes.forEach((scope, index) => {
    if (!tenantScopes.some((known) => known === scope))
      errors.push(unknownValue(`/input/scopes/${index}`, `${scope} is no scope of a tenant.`));
  });
  input.grantTypes?.forEach((name, index) => {
    if (!isGrantType(name))
      errors.push(unknownValue(`/input/grantTypes/${index}`, `Must be one of ${grantTypes.join(", ")}.`));
  });
  if (!principalType) errors.push(unknownValue("/input/principalType", `Must be one of ${principalTypes.join(", ")}.`));
  if (errors.length > 0 || !principalType)
    throw new DomainError("REFERENCE_NOT_FOUND", { detail: "The input names something that does not exist.", errors });
  return { name: input.name, scopes, grantTypes: asked.filter(isGrantType), principalType };
}

function unknownValue(pointer: string, detail: string): FieldError {
  return { pointer, code: "UNKNOWN_VALUE", detail };
}
