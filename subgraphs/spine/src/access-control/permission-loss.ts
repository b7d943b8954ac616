import type { Transaction } from "@factory/runtime/unit-of-work/database";

/**
 * Called in the transaction in which principals (`usr_…`, `cli_…`) lose rights, after the loss. It ends what they gave
 * to others and could not give now.
 */
export type RightsLost = (transaction: Transaction, principals: readonly string[]) => Promise<void>;
