import { keyStatement } from "@factory/runtime/db/key-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type InvalidEnumValue, invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, requireSameTenant, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { checkedDriver } from "../provider-drivers/checked-driver.js";
import { requireIdempotencyKeys } from "../provider-drivers/required-keys.js";
import { type ApiClientType, apiClientView } from "./api-client.type.js";
import { choosersOf } from "./host-choice.js";
import { announceInboundSources } from "./inbound-sources.js";
import { Provider } from "./provider.entity.js";
import type { RegisterProviderInput } from "./provider.input.js";
import { type AuthModel, authModels, type ProviderCategory, providerCategories } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { type ProviderRow, providerColumns, providerView, readProvider } from "./provider.view.js";
import { effectiveDriver, type ProviderPreset, presetNames, presetOf } from "./provider-presets.js";
import { type ProviderRecord, providerRecord } from "./provider-record.js";
import type { ProviderTargets } from "./provider-targets.js";

const providerById = keyStatement(
  "provider_by_id",
  `select ${providerColumns} from providers where tenant_id = scope.tenant and provider_id = $2`,
);

const providerByApiClient = keyStatement(
  "provider_by_api_client",
  `select ${providerColumns} from providers where tenant_id = scope.tenant and api_client_id = $2`,
);

const providerByKey = tenantStatement(
  "provider_by_key",
  `select ${providerColumns} from providers where tenant_id = scope.tenant and key = $2`,
);

const sharedProvider = {
  name: "provider_for_share",
  text: `select ${providerColumns} from providers where tenant_id = $1 and provider_id = $2 for share`,
};

/** Registers providers and finds them and their API clients. */
export class ProviderService {
  readonly #database: Database;
  readonly #targets: ProviderTargets;

  constructor(database: Database, targets: ProviderTargets) {
    this.#database = database;
    this.#targets = targets;
  }

  /** The tenant's provider with its effective driver. */
  async record(tenant: Tenant, providerId: string): Promise<ProviderRecord | undefined> {
    const uuid = decodeId("prv", providerId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ProviderRow>(providerById, tenant, uuid);
    return row && providerRecord(readProvider(row));
  }

  /** As `record`. The key is compared without regard to case, as in the header X-Svc-Provider. */
  async recordByKey(tenant: Tenant, key: string): Promise<ProviderRecord | undefined> {
    const row = await this.#database.reader.row<ProviderRow>(providerByKey, tenant, key.toLowerCase());
    return row && providerRecord(readProvider(row));
  }

  /** As `record`, inside a transaction. The provider keeps its state until the transaction ends. */
  async recordIn({ tenant, execute }: Transaction, providerId: string): Promise<ProviderRecord | undefined> {
    const uuid = decodeId("prv", providerId);
    if (uuid === undefined) return undefined;
    const [row] = await execute<ProviderRow>(sharedProvider, [tenant.uuid, uuid]);
    return row && providerRecord(readProvider(row));
  }

  async find(context: RequestContext, providerId: string): Promise<ProviderType | undefined> {
    const uuid = decodeId("prv", providerId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ProviderRow>(providerById, tenantOf(context), uuid);
    return row && providerView(readProvider(row));
  }

  async findApiClient(context: RequestContext, apiClientId: string): Promise<ApiClientType | undefined> {
    const uuid = decodeId("apc", apiClientId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<ProviderRow>(providerByApiClient, tenantOf(context), uuid);
    return row && apiClientView(providerView(readProvider(row)));
  }

  async get(context: RequestContext, providerId: string): Promise<ProviderType> {
    const provider = await this.find(context, providerId);
    if (!provider)
      throw new DomainError("PROVIDER_NOT_FOUND", { detail: "The provider does not exist in this tenant." });
    return provider;
  }

  async register(context: RequestContext, input: RegisterProviderInput): Promise<ProviderType> {
    requireSameTenant(context, input.tenantId);
    const { category, authModel, preset } = checkedSets(input);
    const driver = input.driver ? checkedDriver(input.driver, "/input/driver") : null;
    requireIdempotencyKeys(effectiveDriver(preset, driver), "/input/driver");
    try {
      return await idempotentMutation(this.#database, context, {
        field: "registerProvider",
        arguments: input,
        prepare: () => this.#targets.refuseBlocked(input.baseUrl, driver),
        commit: async (transaction) => {
          const { em, tenant, record } = transaction;
          announceInboundSources(transaction);
          const baseUrl = input.baseUrl ?? preset?.baseUrl ?? null;
          const targets = { baseUrl, driver: effectiveDriver(preset, driver) };
          const provider = em.create(Provider, {
            tenantId: tenant.tenantId,
            providerId: newId("prv"),
            key: input.key,
            displayName: input.displayName,
            category,
            authModel,
            apiClient: input.apiClient ?? preset?.apiClient ?? null,
            apiClientId: newId("apc"),
            capabilities: canonicalCapabilities(input.capabilities ?? preset?.capabilities ?? []),
            baseUrl,
            preset: input.preset ?? null,
            driver,
            hostsChosenBy: choosersOf(principalOf(context), preset, targets),
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
          return providerView(provider);
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
}

/** Each capability once, in lower case, as searches compare them. */
export function canonicalCapabilities(capabilities: readonly string[]): string[] {
  return [...new Set(capabilities.map((name) => name.toLowerCase()))];
}

interface CheckedSets {
  readonly category: ProviderCategory;
  readonly authModel: AuthModel;
  readonly preset: ProviderPreset | undefined;
}

function checkedSets(input: RegisterProviderInput): CheckedSets {
  const preset = presetOf({ preset: input.preset ?? null, key: input.key });
  const category = providerCategories.find((candidate) => candidate === input.category);
  const authModel = authModels.find((candidate) => candidate === input.authModel);
  const problems: InvalidEnumValue[] = [];
  if (!category) problems.push({ pointer: "/input/category", allowed: providerCategories });
  if (!authModel) problems.push({ pointer: "/input/authModel", allowed: authModels });
  if (input.preset != null && !preset) problems.push({ pointer: "/input/preset", allowed: presetNames });
  if (!category || !authModel || problems.length > 0) throw invalidEnumValue(problems);
  return { category, authModel, preset };
}
