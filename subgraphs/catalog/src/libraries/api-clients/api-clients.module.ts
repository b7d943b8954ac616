import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ApiClient } from "./api-client.entity.js";
import { ApiClientProjection } from "./api-client-projection.js";

/** A copy of the integration subgraph's API clients, from its events. */
export const apiClients: SliceModule = {
  slice: "api-clients",
  entities: [ApiClient],
  foreignKeys: {
    "api_clients.provider_id": {
      to: null,
      why: "A provider is a row of the integration subgraph, whose events may arrive late.",
    },
    "api_clients.api_client_id": { to: null, why: "A row of the integration subgraph." },
    "api_clients.details_event_id": { to: null, why: "Events are removed earlier than the details that they set." },
    "api_clients.status_event_id": { to: null, why: "Events are removed earlier than the state that they set." },
  },
  start({ database, consume }) {
    consume(new ApiClientProjection(database).consumer());
  },
};
