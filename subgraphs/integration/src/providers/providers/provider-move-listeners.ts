import type { Principal } from "@factory/runtime/auth/principal";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProviderState } from "./provider.states.js";

/** A provider that changes its state. */
interface MovingProvider {
  readonly providerId: string;
  readonly key: string;
  readonly from: ProviderState;
  readonly to: ProviderState;
  readonly reason: string | null;
}

/**
 * Called in the transaction that changes the state, while the provider's row is locked. It refuses the change with a
 * DomainError, or applies what follows from it.
 */
export type ProviderMoveListener = (transaction: Transaction, provider: MovingProvider) => Promise<void>;

/**
 * Called in the transaction that gives a provider's URL another origin, while the provider's row is locked. It refuses
 * the change with a DomainError.
 */
export type ProviderOriginListener = (
  transaction: Transaction,
  change: { readonly providerId: string; readonly principal: Principal },
) => Promise<void>;

/** The listeners for slices whose rows depend on a provider's state or hosts. */
export class ProviderMoveListeners {
  readonly #listeners: ProviderMoveListener[] = [];
  readonly #originListeners: ProviderOriginListener[] = [];

  addForOrigins(listener: ProviderOriginListener): void {
    this.#originListeners.push(listener);
  }

  /** Calls the listeners for origins one after the other. */
  readonly callForOrigins: ProviderOriginListener = async (transaction, change) => {
    for (const listener of this.#originListeners) await listener(transaction, change);
  };

  add(listener: ProviderMoveListener): void {
    this.#listeners.push(listener);
  }

  /** Calls the listeners one after the other. */
  readonly call: ProviderMoveListener = async (transaction, provider) => {
    for (const listener of this.#listeners) await listener(transaction, provider);
  };
}
