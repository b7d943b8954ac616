// tables: webhook_messages, webhook_subscriptions

import { planStatement, plansByKeys } from "@factory/runtime/db/plan-settings";
import { isWaiting } from "./webhook-message.states.js";

export const planSettlementByKeys = planStatement("webhook_settle_plans", plansByKeys);

export const settledBatch = 1000;

/** $1: tenant, $2: subscription. The lock keeps the state until the transaction ends. */
export const subscriptionState = {
  name: "webhook_settle_state",
  text: `select status, endpoint_url from webhook_subscriptions
    where tenant_id = $1 and subscription_id = $2 for share`,
};

/** Messages that wait and that no dispatcher holds. Locked rows are left to the dispatcher that has locked them. */
const waiting = (where: string) => `select message_id from webhook_messages
  where tenant_id = $1 and subscription_id = $2 and ${isWaiting} and status <> 'Delivering' ${where}
  limit ${settledBatch} for update skip locked`;

/** $1: tenant, $2: subscription. */
export const skipWaiting = {
  name: "webhook_settle_skip",
  text: `update webhook_messages set status = 'Skipped', next_attempt_at = null, finished_at = now()
    where tenant_id = $1 and message_id = any (array(${waiting("")})) returning message_id`,
};

/** $1: tenant, $2: subscription, $3: its endpoint's origin. */
export const moveWaiting = {
  name: "webhook_settle_move",
  text: `update webhook_messages set origin = $3
    where tenant_id = $1 and message_id = any (array(${waiting("and origin <> $3")})) returning message_id`,
};
