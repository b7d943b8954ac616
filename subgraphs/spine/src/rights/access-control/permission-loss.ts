import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * Called when principals (`usr_…`, `cli_…`) have lost permissions, in the same transaction and after the loss. It
 * revokes what they gave to others and are no longer allowed to give.
 */
export type PermissionLossHandler = (transaction: Transaction, principals: readonly string[]) => Promise<void>;

/** The handlers from the slices that have given something for principals. */
export class PermissionLossHandlers {
  readonly #handlers: PermissionLossHandler[] = [];

  add(handler: PermissionLossHandler): void {
    this.#handlers.push(handler);
  }

  /** Calls the handlers one after the other. */
  readonly handle: PermissionLossHandler = async (transaction, principals) => {
    for (const handler of this.#handlers) await handler(transaction, principals);
  };
}
