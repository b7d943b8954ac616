import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { startTenantFacts, type TenantFactsSettings } from "@factory/runtime/tenant-facts/start-tenant-facts";
import { EditionProjection } from "./edition-projection.entity.js";
import { ProjectionRefresh } from "./projection-refresh.entity.js";
import { TenantProjection } from "./tenant-projection.entity.js";

/** The tenants' settings, limits and editions. Slices below ask `TenantFacts`. */
export const tenantProjections: SliceModule<TenantFactsSettings> = {
  slice: "tenant-projections",
  entities: [TenantProjection, EditionProjection, ProjectionRefresh],
  async start(host, services) {
    services.add(await startTenantFacts(host));
  },
};
