import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WebhookDelivery } from "./webhook-delivery.entity.js";

/** The deliveries of vendors: their verification and their record. */
export const inboundDeliveries: SliceModule = {
  slice: "inbound-deliveries",
  entities: [WebhookDelivery],
  foreignKeys: {
    "webhook_deliveries.provider_id": {
      to: null,
      why: "A provider is never deleted, and the key would lock the row of the provider for each delivery.",
    },
    "webhook_deliveries.subscription_id": {
      to: null,
      why: "The delivery outlives the subscription, whose secret has verified it.",
    },
    "webhook_deliveries.connection_id": {
      to: null,
      why: "The delivery outlives the connection, whose secret has verified it.",
    },
    "webhook_deliveries.run_id": { to: null, why: "The run is written in the same transaction and is kept as long." },
  },
};
