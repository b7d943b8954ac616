import { Counter, Histogram, type Registry } from "prom-client";

/** Tenants beyond this many share the label `other`, so that one scrape stays bounded. */
const maxTenantLabels = 100;

/** Counts one finished request. */
export type Meter = (status: number, durationMs: number, tenantId: string | undefined) => void;

/** Duration per route and status, number of requests per route and tenant. */
export function requestMetrics(registry: Registry): (method: string, route: string) => Meter {
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the request's arrival to the end of its answer.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const requests = new Counter({
    name: "http_requests_by_tenant_total",
    help: `Requests per tenant; tenants after the first ${maxTenantLabels} count as other.`,
    labelNames: ["method", "route", "tenant"],
    registers: [registry],
  });
  const tenants = new Set<string>();
  const labelOf = (tenantId: string | undefined) => {
    if (tenantId === undefined) return "none";
    if (tenants.size < maxTenantLabels) tenants.add(tenantId);
    return tenants.has(tenantId) ? tenantId : "other";
  };
  return (method, route) => {
    // looked up by plain value: building a label set per request costs more than the request's own bookkeeping
    const byStatus = new Map<number, { observe(seconds: number): void }>();
    const byTenant = new Map<string, { inc(): void }>();
    return (status, durationMs, tenantId) => {
      let histogram = byStatus.get(status);
      if (!histogram) byStatus.set(status, (histogram = durations.labels(method, route, String(status))));
      histogram.observe(durationMs / 1000);
      const tenant = labelOf(tenantId);
      let counter = byTenant.get(tenant);
      if (!counter) byTenant.set(tenant, (counter = requests.labels(method, route, tenant)));
      counter.inc();
    };
  };
}
