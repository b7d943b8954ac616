import { createEgress } from "@factory/runtime/egress/egress";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { egressService } from "./egress-service.js";

export interface EgressSettings {
  /** Webhooks and base URLs may point at this machine. */
  readonly allowLoopback: boolean;
  readonly allowPrivateCidrs?: readonly string[];
  /** Every port when absent. */
  readonly allowedPorts?: readonly number[];
}

/** The HTTP client for tenants' URLs. */
export const egress: SliceModule<EgressSettings> = {
  slice: "egress",
  start({ settings, onClose }, services) {
    const { allowLoopback, allowPrivateCidrs = [], allowedPorts } = settings;
    const options = { allowLoopback, allowPrivateCidrs, ...(allowedPorts === undefined ? {} : { allowedPorts }) };
    const client = services.add(createEgress(options), egressService);
    onClose(() => client.close());
  },
};
