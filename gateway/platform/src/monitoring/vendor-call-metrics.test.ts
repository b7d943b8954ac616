import { VendorCallCounts } from "@factory/integration/vendor-call-counts";
import { Registry } from "prom-client";
import { vendorCallMetrics } from "./vendor-call-metrics.js";

describe("the metrics of vendor calls", () => {
  it("show the counts of this process at each scrape", async () => {
    const registry = new Registry();
    const counts = new VendorCallCounts();
    vendorCallMetrics(registry, counts);
    counts.add("github", "probe", "answered");
    counts.add("github", "probe", "answered");
    counts.add(null, "command", "timeout");
    counts.addFallback();
    for (let times = 0; times < 2; times += 1) {
      const text = await registry.metrics();
      expect(text).toContain('vendor_calls_total{provider="github",purpose="probe",outcome="answered"} 2');
      expect(text).toContain('vendor_calls_total{provider="other",purpose="command",outcome="timeout"} 1');
      expect(text).toContain("vendor_credential_fallbacks_total 1");
    }
  });
});
