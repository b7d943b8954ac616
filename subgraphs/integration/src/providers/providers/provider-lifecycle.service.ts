import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { announceInboundSources } from "./inbound-sources.js";
import { lockedProvider } from "./locked-provider.js";
import type { ProviderMoveInput } from "./provider.input.js";
import { type ProviderState, statesBefore } from "./provider.states.js";
import type { ProviderType } from "./provider.type.js";
import { providerView } from "./provider.view.js";
import type { ProviderMoveListeners } from "./provider-move-listeners.js";

/**
 * The target state and the event for each mutation. Enabling has its own event, because ProviderRegistered means only
 * the first registration.
 */
const moves = {
  deprecateProvider: { to: "Deprecated", event: "ProviderDeprecated" },
  disableProvider: { to: "Disabled", event: "ProviderDisabled" },
  enableProvider: { to: "Registered", event: "ProviderEnabled" },
  retireProvider: { to: "Retired", event: "ProviderRetired" },
} as const satisfies Record<string, { to: ProviderState; event: EventType }>;

interface ProviderMove {
  readonly field: keyof typeof moves;
  readonly providerId: string;
  readonly input: ProviderMoveInput | null | undefined;
}

/** Moves providers between their states. */
export class ProviderLifecycleService {
  readonly #database: Database;
  readonly #listeners: ProviderMoveListeners;

  constructor(database: Database, listeners: ProviderMoveListeners) {
    this.#database = database;
    this.#listeners = listeners;
  }

  move(context: RequestContext, { field, providerId, input }: ProviderMove): Promise<ProviderType> {
    const { to, event } = moves[field];
    const reason = input?.reason ?? null;
    return idempotentMutation(this.#database, context, {
      field,
      arguments: { providerId, reason },
      commit: async (transaction) => {
        const { em, record } = transaction;
        const provider = await lockedProvider(transaction, providerId);
        const { apiClientId, key, status } = provider;
        const allowedStates = statesBefore(to);
        if (!allowedStates.includes(status))
          throw new DomainError("INVALID_STATE", {
            detail: `The provider is ${status}. It can become ${to} only from ${allowedStates.join(" or ")}.`,
            currentState: status,
            allowed: allowedStates,
          });
        em.assign(provider, { status: to, statusReason: reason });
        announceInboundSources(transaction);
        record({
          type: event,
          subject: `providers/${providerId}`,
          data: { providerId, key, apiClientId, status: to, previousStatus: status, reason },
        });
        await this.#listeners.call(transaction, { providerId, key, from: status, to, reason });
        return providerView(provider);
      },
    });
  }
}
