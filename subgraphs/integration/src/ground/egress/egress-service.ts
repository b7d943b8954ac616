import type { Egress } from "@factory/runtime/egress/egress";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";

/** The HTTP client for addresses that tenants give, shared by all slices. */
export const egressService = serviceKey<Egress>("Egress");
