// biome-ignore-all format: one row per endpoint, aligned
import type { Route } from "./route.js";

/** The endpoints that vendors call. Both run one operation with the bytes of the body, which the signature covers. */
export const deliveryRoutes = {
  specified: { at: "POST /webhooks/deliveries" },
  vendor:    { at: "POST /webhooks/deliveries/{providerKey}" },
} as const satisfies Record<string, Pick<Route, "at">>;

/** The operation of both endpoints, whose document stands among those of the area. */
export const deliveryOperation = { area: "integration", run: "ingestWebhookDelivery" } as const;
