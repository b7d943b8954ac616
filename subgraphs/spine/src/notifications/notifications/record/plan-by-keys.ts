import { planStatement, plansInOrder } from "@factory/runtime/db/plan-settings";
import type { Transaction } from "@factory/runtime/unit-of-work/database";

const settings = planStatement("notification_plans_by_keys", plansInOrder);

/**
 * Makes the transaction's later statements read rows by the keys that they name, however many notifications have come
 * since they were first planned. Each transaction that delivers calls this first. The settings leave with the next
 * statement.
 */
export const planByKeys = ({ defer }: Pick<Transaction, "defer">): Promise<void> => defer(settings);

/**
 * SQL condition, after the table's alias and a dot: the notification that other conditions name is Queued. It is an
 * expression, so that it fits no index over Queued notifications, which would be read from its beginning.
 */
export const isQueued = "status || '' = 'Queued'";
