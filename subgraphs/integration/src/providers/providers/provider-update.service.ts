import { isDeepStrictEqual } from "node:util";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { hasTools, refuseAgents } from "../agent-access/agent-access.js";
import { checkedDriver } from "../provider-drivers/checked-driver.js";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import { requireIdempotencyKeys } from "../provider-drivers/required-keys.js";
import { withChooser } from "./host-choice.js";
import { announceInboundSources } from "./inbound-sources.js";
import { lockedProvider } from "./locked-provider.js";
import type { Provider } from "./provider.entity.js";
import type { UpdateProviderInput } from "./provider.input.js";
import { canonicalCapabilities } from "./provider.service.js";
import type { ProviderType } from "./provider.type.js";
import { providerView } from "./provider.view.js";
import type { ProviderMoveListeners } from "./provider-move-listeners.js";
import { effectiveDriver, presetOf } from "./provider-presets.js";
import { movesOrigin, type ProviderTargets } from "./provider-targets.js";

type Changes = Partial<Pick<Provider, "displayName" | "apiClient" | "capabilities" | "baseUrl" | "driver">>;

/** Changes a provider's description. */
export class ProviderUpdateService {
  readonly #database: Database;
  readonly #targets: ProviderTargets;
  readonly #listeners: ProviderMoveListeners;

  constructor(database: Database, targets: ProviderTargets, listeners: ProviderMoveListeners) {
    this.#database = database;
    this.#targets = targets;
    this.#listeners = listeners;
  }

  /** An input that changes nothing has no event. */
  update(context: RequestContext, providerId: string, input: UpdateProviderInput): Promise<ProviderType> {
    const driver = input.driver ? checkedDriver(input.driver, "/input/driver") : null;
    return idempotentMutation(this.#database, context, {
      field: "updateProvider",
      arguments: { providerId, input },
      prepare: () => this.#targets.refuseBlocked(input.baseUrl, driver),
      commit: async (transaction) => {
        const provider = await lockedProvider(transaction, providerId);
        const { status, key, category, authModel, apiClientId } = provider;
        if (status === "Retired")
          throw new DomainError("INVALID_STATE", {
            detail: "The provider is Retired and cannot be changed.",
            currentState: status,
            allowed: ["Registered", "Deprecated", "Disabled"],
          });
        const changes = changesOf(provider, input, driver);
        if (changes.capabilities && hasTools(changes.capabilities) && !hasTools(provider.capabilities))
          refuseAgents(
            principalOf(context),
            "An agent may not make a provider a tool server. A person or a service has to do it.",
          );
        if (changes.driver) requireIdempotencyKeys(targetsOf(provider, changes).driver, "/input/driver");
        if (movesOrigin(targetsOf(provider, provider), targetsOf(provider, changes))) {
          const principal = principalOf(context);
          await this.#listeners.callForOrigins(transaction, { providerId, principal });
          provider.hostsChosenBy = withChooser(provider.hostsChosenBy, principal);
        }
        transaction.em.assign(provider, changes);
        const { displayName, apiClient, capabilities } = provider;
        if (Object.keys(changes).length > 0) {
          announceInboundSources(transaction);
          transaction.record({
            type: "ProviderUpdated",
            subject: `providers/${providerId}`,
            data: {
              ...{ providerId, key, displayName, category, authModel, apiClient, apiClientId, capabilities, status },
              changed: Object.keys(changes),
            },
          });
        }
        return providerView(provider);
      },
    });
  }
}

/** The provider's URLs after a change. */
function targetsOf(provider: Provider, { baseUrl, driver }: Changes) {
  const ownDriver = driver === undefined ? provider.driver : driver;
  return { baseUrl: baseUrl ?? provider.baseUrl, driver: effectiveDriver(presetOf(provider), ownDriver) };
}

/** The members that get another value. */
function changesOf(provider: Provider, input: UpdateProviderInput, driver: ProviderDriver | null): Changes {
  const { displayName, apiClient, capabilities, baseUrl } = input;
  const changes: Changes = {
    ...(displayName == null ? {} : { displayName }),
    ...(apiClient == null ? {} : { apiClient }),
    ...(capabilities == null ? {} : { capabilities: canonicalCapabilities(capabilities) }),
    ...(baseUrl == null ? {} : { baseUrl }),
    ...(driver === null ? {} : { driver }),
  };
  const differs = ([name, value]: [string, unknown]) => !isDeepStrictEqual(provider[name as keyof Changes], value);
  return Object.fromEntries(Object.entries(changes).filter(differs));
}
