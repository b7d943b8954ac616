import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { TemplateService } from "../../templates/templates/template.service.js";
import { TemplateVersionService } from "../../templates/templates/template-version.service.js";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { LibrarySnapshots } from "../compatibility/library-snapshot.js";
import { DependencyScanResolver } from "./dependency-scan.resolver.js";
import { DependencyScanService } from "./dependency-scan.service.js";
import { DependencyScanListService } from "./dependency-scan-list.service.js";
import { DependencyScanner } from "./dependency-scanner.js";
import { DependencyScan } from "./record/dependency-scan.entity.js";
import { ScanPreparation } from "./scan-preparation.js";

/** Scans for the packages that template versions and library sets use. */
export const dependencyScans: SliceModule = {
  slice: "dependency-scans",
  entities: [DependencyScan],
  foreignKeys: {
    "dependency_scans.template_version_id": {
      to: "template_versions.template_version_id",
      onDelete: "cascade",
      why: "The packages belong to the content of the version.",
    },
  },
  events: ["DependenciesScanned"],
  start({ database, cursors }, services) {
    const preparation = new ScanPreparation({
      templates: services.get(TemplateService),
      versions: services.get(TemplateVersionService),
      sources: services.get(TemplateSources),
      snapshots: services.get(LibrarySnapshots),
      scanner: new DependencyScanner(services.get(WorkerPool)),
    });
    services.add(new DependencyScanService(database, preparation, services.get(TemplateVersionService)));
    services.add(new DependencyScanListService(database, cursors));
  },
  resolvers: (get) => [new DependencyScanResolver(get(DependencyScanService), get(DependencyScanListService))],
  links: {
    "DependencyScan.templateVersionId": { to: "TemplateVersion" },
    "DependencyScanSummary.dependencyScanId": { to: "DependencyScan" },
    "DependencyScanSummary.templateVersionId": { to: "TemplateVersion" },
    "ScannedPackage.libraryVersionId": { to: "LibraryVersion" },
  },
  references(get) {
    const service = get(DependencyScanService);
    return {
      DependencyScan: {
        id: { prefix: "scn", field: "dependencyScanId" },
        auth: { scopes: ["templates.read", "libraries.read"] },
        resolve: ({ dependencyScanId = "" }, context) => service.find(context, dependencyScanId),
      },
    };
  },
};
