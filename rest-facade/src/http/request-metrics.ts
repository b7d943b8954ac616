import { Counter, type Registry } from "prom-client";
import { DurationHistogram, type Durations } from "./duration-histogram.js";

/** Further tenants share the label `other`, so that a scrape's size has a limit. */
const maxTenantLabels = 100;

/** Counts one finished request. */
export type Meter = (status: number, durationMs: number, tenantId: string | undefined) => void;

/** Duration per route and status, request count per route and tenant. */
export function requestMetrics(registry: Registry): (method: string, route: string) => Meter {
  const durations = new DurationHistogram(registry, {
    name: "http_request_duration_seconds",
    help: "Time from the arrival of a request to the end of its answer.",
    bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const tallies: Tally[] = [];
  // plain numbers, which a scrape hands to the registry: the labels are hashed once per scrape, not once per request
  new Counter({
    name: "http_requests_by_tenant_total",
    help: `Requests per tenant. Tenants after the first ${maxTenantLabels} are counted under the label other.`,
    labelNames: ["method", "route", "tenant"],
    registers: [registry],
    collect() {
      for (const tally of tallies) {
        this.inc(tally.labels, tally.added);
        tally.added = 0;
      }
    },
  });
  const tenants = new Set<string>();
  const labelOf = (tenantId: string | undefined) => {
    if (tenantId === undefined) return "none";
    if (tenants.size < maxTenantLabels) tenants.add(tenantId);
    return tenants.has(tenantId) ? tenantId : "other";
  };
  const meters = new Map<string, Meter>();
  // a route that two servers answer is counted as one
  return (method, route) => {
    const knownMeter = meters.get(`${method} ${route}`);
    if (knownMeter) return knownMeter;
    const byStatus = new Map<number, Durations>();
    const byTenant = new Map<string, Tally>();
    const meter: Meter = (status, durationMs, tenantId) => {
      let series = byStatus.get(status);
      if (!series) byStatus.set(status, (series = durations.series({ method, route, status: String(status) })));
      series.observe(durationMs / 1000);
      const tenant = labelOf(tenantId);
      let tally = byTenant.get(tenant);
      if (!tally) {
        tally = { labels: { method, route, tenant }, added: 0 };
        byTenant.set(tenant, tally);
        tallies.push(tally);
      }
      tally.added += 1;
    };
    meters.set(`${method} ${route}`, meter);
    return meter;
  };
}

interface Tally {
  readonly labels: { readonly method: string; readonly route: string; readonly tenant: string };
  /** The counts since the last scrape. */
  added: number;
}
