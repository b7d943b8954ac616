import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * Called when principals (`usr_…`, `cli_…`) have lost permissions, in the same transaction and after the loss. It
 * revokes what they gave to others and are no longer allowed to give.
 */
export type PermissionLossHandler = (transaction: Transaction, principals: readonly string[]) => Promise<void>;
