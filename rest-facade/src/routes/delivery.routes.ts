// biome-ignore-all format: one row per endpoint, aligned
import type { Route } from "./route.js";

/** The endpoints that vendors call. Both run one operation with the body's bytes, which the signature covers. */
export const deliveryRoutes = {
  specified: { at: "POST /webhooks/deliveries" },
  vendor:    { at: "POST /webhooks/deliveries/{providerKey}" },
} as const satisfies Record<string, Pick<Route, "at">>;

/** Both endpoints' operation, whose document stands with the area's documents. */
export const deliveryOperation = { area: "integration", run: "ingestWebhookDelivery" } as const;
