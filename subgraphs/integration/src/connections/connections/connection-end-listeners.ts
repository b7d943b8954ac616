import type { Transaction } from "@factory/runtime/unit-of-work/database";

/** Called in the transaction that deletes a connection. It deletes what belongs to the connection alone. */
type ConnectionEndListener = (transaction: Transaction, connectionId: string) => Promise<void>;

/** The listeners in the slices below, which keep rows for a connection. */
export class ConnectionEndListeners {
  readonly #listeners: ConnectionEndListener[] = [];

  add(listener: ConnectionEndListener): void {
    this.#listeners.push(listener);
  }

  readonly call: ConnectionEndListener = async (transaction, connectionId) => {
    for (const listener of this.#listeners) await listener(transaction, connectionId);
  };
}
