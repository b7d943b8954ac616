import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProviderState } from "./provider.states.js";

/** A provider that changes its state. */
export interface MovingProvider {
  readonly providerId: string;
  readonly key: string;
  readonly from: ProviderState;
  readonly to: ProviderState;
  readonly reason: string | null;
}

/**
 * Called in the transaction that changes the state, while the row of the provider is locked. It refuses the change with
 * a DomainError, or applies what follows from it.
 */
export type ProviderMoveListener = (transaction: Transaction, provider: MovingProvider) => Promise<void>;

/** The listeners of the slices whose rows depend on the state of a provider. */
export class ProviderMoveListeners {
  readonly #listeners: ProviderMoveListener[] = [];

  add(listener: ProviderMoveListener): void {
    this.#listeners.push(listener);
  }

  /** Calls the listeners one after the other. */
  readonly call: ProviderMoveListener = async (transaction, provider) => {
    for (const listener of this.#listeners) await listener(transaction, provider);
  };
}
