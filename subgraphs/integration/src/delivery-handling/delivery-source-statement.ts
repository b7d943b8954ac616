// tables: webhook_subscriptions

/** Whether a subscription is Inbound, in every state of it. */
export const inboundSubscription = {
  name: "webhook_subscription_is_inbound",
  text: `select true as found from webhook_subscriptions
    where tenant_id = $1 and subscription_id = $2 and direction = 'Inbound'`,
};
