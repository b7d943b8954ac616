import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Called in the transaction in which a subscription (UUID) has left or entered Active, or got another receiver. */
type SubscriptionChangeListener = (transaction: Transaction, subscription: string) => Promise<void>;

/** The listeners in the slices below, which keep messages for a subscription. */
export class SubscriptionChangeListeners {
  readonly #listeners: SubscriptionChangeListener[] = [];

  add(listener: SubscriptionChangeListener): void {
    this.#listeners.push(listener);
  }

  readonly call: SubscriptionChangeListener = async (transaction, subscription) => {
    for (const listener of this.#listeners) await listener(transaction, subscription);
  };
}
