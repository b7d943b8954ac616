import type { VendorCallCounts } from "@factory/integration/vendor-call-counts";
import { Counter, type Registry } from "prom-client";

/** Registers the counters for vendor calls. The provider is a preset's name, since tenants' keys are endless. */
export function vendorCallMetrics(registry: Registry, counts: VendorCallCounts): void {
  const calls: Counter = new Counter({
    name: "vendor_calls_total",
    help: "Calls to vendors, by the preset of the provider, the purpose and the outcome",
    labelNames: ["provider", "purpose", "outcome"],
    registers: [registry],
    collect() {
      calls.reset();
      for (const { count, ...labels } of counts.all) calls.inc(labels, count);
    },
  });
  const fallbacks: Counter = new Counter({
    name: "vendor_credential_fallbacks_total",
    help: "Answers that only the former version of a rotated credential got",
    registers: [registry],
    collect() {
      fallbacks.reset();
      fallbacks.inc(counts.fallbacks);
    },
  });
}
