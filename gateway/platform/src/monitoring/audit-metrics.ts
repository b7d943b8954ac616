import type { RefusalLog } from "@factory/runtime/audit/refusal-log";
import { Counter, type Registry } from "prom-client";

/** Registers the counter for refusals whose details the audit log does not have. */
export function auditMetrics(registry: Registry, refusals: Pick<RefusalLog, "dropped">): void {
  const counter: Counter = new Counter({
    name: "audit_refusals_dropped_total",
    help: "Refusals that the audit log has without their details, because too many different ones came at once, or not at all.",
    registers: [registry],
    collect() {
      counter.reset();
      counter.inc(refusals.dropped);
    },
  });
}
