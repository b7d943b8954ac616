import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Egress } from "@factory/runtime/egress/egress";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type ApiClientType, apiClientView } from "./api-client.type.js";
import { Provider } from "./provider.entity.js";
import type { RegisterProviderInput } from "./provider.input.js";
import { type AuthModel, authModels, type ProviderCategory, providerCategories } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { type ProviderRow, providerColumns, providerEntityView, providerRowView } from "./provider.view.js";

const providerById = tenantStatement(
  "provider_by_id",
  `select ${providerColumns} from providers where tenant_id = scope.tenant and provider_id = $2`,
);

const providerByApiClient = tenantStatement(
  "provider_by_api_client",
  `select ${providerColumns} from providers where tenant_id = scope.tenant and api_client_id = $2`,
);

/** Registers providers and finds them and their API clients. */
export class ProviderService {
  readonly #database: Database;
  readonly #egress: Egress;

  constructor(database: Database, egress: Egress) {
    this.#database = database;
    this.#egress = egress;
  }

  async find(context: RequestContext, providerId: string): Promise<ProviderType | undefined> {
    const uuid = decodeId("prv", providerId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ProviderRow>(providerById, tenantOf(context), uuid);
    return row && providerRowView(row);
  }

  async findApiClient(context: RequestContext, apiClientId: string): Promise<ApiClientType | undefined> {
    const uuid = decodeId("apc", apiClientId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ProviderRow>(providerByApiClient, tenantOf(context), uuid);
    return row && apiClientView(providerRowView(row));
  }

  async get(context: RequestContext, providerId: string): Promise<ProviderType> {
    const provider = await this.find(context, providerId);
    if (!provider)
      throw new DomainError("PROVIDER_NOT_FOUND", { detail: "The provider does not exist in this tenant." });
    return provider;
  }

  async register(context: RequestContext, input: RegisterProviderInput): Promise<ProviderType> {
    requireSameTenant(context, input.tenantId);
    const { category, authModel } = checkedSets(input);
    try {
      return await idempotentMutation(this.#database, context, {
        field: "registerProvider",
        arguments: input,
        prepare: () => this.#refuseBlocked(input.baseUrl),
        commit: async ({ em, tenant, record }) => {
          const provider = em.create(Provider, {
            tenantId: tenant.tenantId,
            providerId: newId("prv"),
            key: input.key,
            displayName: input.displayName,
            category,
            authModel,
            apiClient: input.apiClient ?? null,
            apiClientId: newId("apc"),
            capabilities: canonical(input.capabilities ?? []),
            baseUrl: input.baseUrl ?? null,
            status: "Registered",
            statusReason: null,
            registeredAt: new Date(),
          });
          em.persist(provider);
          const { providerId, key, displayName, apiClient, apiClientId, capabilities, status } = provider;
          record({
            type: "ProviderRegistered",
            subject: `providers/${providerId}`,
            data: { providerId, key, displayName, category, authModel, apiClient, apiClientId, capabilities, status },
          });
          return providerEntityView(provider);
        },
      });
    } catch (error) {
      if (violatedUnique(error) === "providers_key")
        throw new DomainError("PROVIDER_KEY_TAKEN", {
          detail: `A provider with the key "${input.key}" exists already in this tenant. Choose another key.`,
        });
      throw error;
    }
  }

  async #refuseBlocked(baseUrl: string | null | undefined): Promise<undefined> {
    const reason = baseUrl == null ? undefined : await this.#egress.check(baseUrl);
    if (reason !== undefined)
      throw new DomainError("TARGET_BLOCKED", {
        detail: `The base URL is not allowed: ${reason}.`,
        errors: [{ pointer: "/input/baseUrl", code: "TARGET_BLOCKED", detail: reason }],
      });
    return undefined;
  }
}

/** Each capability once, in lower case, as searches compare them. */
function canonical(capabilities: readonly string[]): string[] {
  return [...new Set(capabilities.map((name) => name.toLowerCase()))];
}

function checkedSets(input: RegisterProviderInput): { category: ProviderCategory; authModel: AuthModel } {
  const category = providerCategories.find((known) => known === input.category);
  const authModel = authModels.find((known) => known === input.authModel);
  const problems: InvalidEnumValue[] = [];
  if (!category) problems.push({ pointer: "/input/category", allowed: providerCategories });
  if (!authModel) problems.push({ pointer: "/input/authModel", allowed: authModels });
  if (!category || !authModel) throw invalidEnumValue(problems);
  return { category, authModel };
}
