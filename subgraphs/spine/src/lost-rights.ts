import type { Transaction } from "@factory/runtime/db/database";

/**
 * Called in the transaction in which principals (`usr_…`, `cli_…`) lose rights, after the loss: what they gave to
 * others and could not give now ends with it.
 */
export type RightsLost = (transaction: Transaction, principals: readonly string[]) => Promise<void>;
