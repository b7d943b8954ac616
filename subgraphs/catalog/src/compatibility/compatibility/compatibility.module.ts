import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { TemplateService } from "../../templates/templates/template.service.js";
import { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { CompatibilityResolver } from "./compatibility.resolver.js";
import { CompatibilityService } from "./compatibility.service.js";
import { CompatibilityMatrix } from "./compatibility-matrix.entity.js";
import { LibrarySnapshots } from "./library-snapshot.js";
import { UpgradeAdvisor } from "./upgrade-advisor.js";

/** Rules over a set of libraries, and upgrade advice. */
export const compatibility: SliceModule = {
  slice: "compatibility",
  entities: [CompatibilityMatrix],
  foreignKeys: {
    "compatibility_matrices.template_version_id": {
      to: null,
      why: "An evaluation is stored as it was answered, even if its template version is removed.",
    },
  },
  events: ["CompatibilityEvaluated"],
  start({ database }, services) {
    const templates = services.get(TemplateService);
    const versions = services.get(TemplateVersionService);
    const advisor = new UpgradeAdvisor(services.get(WorkerPool));
    const snapshots = services.add(new LibrarySnapshots(database.reader));
    const facts = services.get(TenantFacts);
    services.add(new CompatibilityService({ database, snapshots, templates, versions, advisor, facts }));
  },
  resolvers: (get) => [new CompatibilityResolver(get(CompatibilityService))],
  links: {
    "CompatibilityMatrix.templateVersionId": { to: "TemplateVersion" },
  },
  references(get) {
    const service = get(CompatibilityService);
    return {
      CompatibilityMatrix: {
        id: { prefix: "mtx", field: "matrixId" },
        auth: { scopes: ["templates.read", "libraries.read"] },
        resolve: ({ matrixId = "" }, context) => service.find(context, matrixId),
      },
    };
  },
};
