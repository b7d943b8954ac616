import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { commands } from "./commands/commands.module.js";
import { compatibility } from "./compatibility/compatibility/compatibility.module.js";
import { dependencyScans } from "./compatibility/dependency-scans/dependency-scans.module.js";
import { executions } from "./executions/executions/executions.module.js";
import { repositories } from "./git/repositories/repositories.module.js";
import { tenantProjections } from "./ground/tenant-projections/tenant-projections.module.js";
import { advisories } from "./libraries/advisories/advisories.module.js";
import { apiClients } from "./libraries/api-clients/api-clients.module.js";
import { libraries } from "./libraries/libraries/libraries.module.js";
import { librarySearch } from "./libraries/library-search/library-search.module.js";
import { searchIndex } from "./libraries/search-index/search-index.module.js";
import { remoteCredentials } from "./sources/remote-credentials/remote-credentials.module.js";
import { sources } from "./sources/sources/sources.module.js";
import { targets } from "./targets/targets/targets.module.js";
import { catalogSearch } from "./templates/catalog-search/catalog-search.module.js";
import { parameters } from "./templates/parameters/parameters.module.js";
import { templates } from "./templates/templates/templates.module.js";
import { validations } from "./templates/validations/validations.module.js";
import { rendering } from "./workers/rendering/rendering.module.js";
import { workerPool } from "./workers/worker-pool/worker-pool.module.js";

/** This subgraph's slices. A slice uses only slices above its own. */
export const catalogModules = [
  tenantProjections,
  workerPool,
  parameters,
  rendering,
  repositories,
  sources,
  remoteCredentials,
  targets,
  searchIndex,
  advisories,
  templates,
  validations,
  libraries,
  librarySearch,
  catalogSearch,
  compatibility,
  dependencyScans,
  executions,
  apiClients,
  commands,
] as const;

export type CatalogModuleSettings = SettingsOf<typeof catalogModules>;
