import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { EditionCatalog } from "../../tenants/editions/edition-catalog.js";
import { entitlementEndpoints } from "./entitlement.endpoint.js";
import { EntitlementResolver } from "./entitlement.resolver.js";
import { EntitlementService } from "./entitlement.service.js";
import { EntitlementListService } from "./entitlement-list.service.js";
import { usageEndpoint } from "./platform-usage.endpoint.js";
import { TenantPlans } from "./tenant-plans.js";
import { usageRetention } from "./usage/retention.js";
import { UsageSources } from "./usage/sources.js";
import { UsageService } from "./usage/usage.service.js";
import { UsageConsumption } from "./usage/usage-consumption.entity.js";
import { UsageCounter } from "./usage/usage-counter.entity.js";
import { UsageReader } from "./usage/usage-reader.js";

export interface EntitlementSettings {
  /** Verifies the tokens in gRPC calls. */
  readonly verifier: Verifier;
  /** The time by which periods begin and end; default: the system's. */
  readonly clock?: () => Date;
}

/** Features that another subgraph counts in its own tables. */
const countedElsewhere: ReadonlySet<string> = new Set(["webhooks.max"]);

/** The features that a tenant's plan allows, and how much the tenant has used. */
export const entitlements: SliceModule<EntitlementSettings> = {
  slice: "entitlements",
  entities: [UsageCounter, UsageConsumption],
  events: ["EntitlementLimitReached"],
  async start({ settings, database, listener, cursors }, services) {
    const { clock = () => new Date() } = settings;
    const sources = services.add(new UsageSources(countedElsewhere));
    const plans = new TenantPlans(database.reader);
    await plans.follow(listener);
    const usages = new UsageReader(database.reader, sources);
    const usage = new UsageService(database, clock);
    const editions = services.get(EditionCatalog);
    const parts = { plans, editions, usages, usage, sources, clock };
    services.add(new EntitlementService(parts));
    services.add(new EntitlementListService(parts, cursors));
  },
  resolvers: (get) => [new EntitlementResolver(get(EntitlementListService))],
  grpcServices(get, { settings }) {
    const service = get(EntitlementService);
    return [...entitlementEndpoints(service, settings.verifier), usageEndpoint(service)];
  },
  retention: () => usageRetention,
};
