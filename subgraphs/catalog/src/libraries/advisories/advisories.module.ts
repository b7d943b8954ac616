import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { Advisory } from "./advisory.entity.js";
import { AdvisoryResolver } from "./advisory.resolver.js";
import { AdvisoryService } from "./advisory.service.js";
import { AdvisoryPackage } from "./advisory-package.entity.js";

/** Security advisories that tenants import. */
export const advisories: SliceModule = {
  slice: "advisories",
  entities: [Advisory, AdvisoryPackage],
  foreignKeys: {
    "advisory_packages.advisory_id": {
      to: "advisories.advisory_id",
      onDelete: "cascade",
      why: "The affected versions belong to their advisory.",
    },
  },
  events: ["AdvisoriesImported", "AdvisoriesDeleted"],
  start({ database }, services) {
    services.add(new AdvisoryService(database, services.get(TenantFacts)));
  },
  resolvers: (get) => [new AdvisoryResolver(get(AdvisoryService))],
};
