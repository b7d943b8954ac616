import type { SettingsOf } from "@factory/runtime/subgraph/slice-module";
import { advisories } from "./advisories/advisories.module.js";
import { apiClients } from "./api-clients/api-clients.module.js";
import { catalogSearch } from "./catalog-search/catalog-search.module.js";
import { commands } from "./commands/commands.module.js";
import { compatibility } from "./compatibility/compatibility.module.js";
import { dependencyScans } from "./dependency-scans/dependency-scans.module.js";
import { executions } from "./executions/executions.module.js";
import { libraries } from "./libraries/libraries.module.js";
import { librarySearch } from "./library-search/library-search.module.js";
import { parameters } from "./parameters/parameters.module.js";
import { remoteCredentials } from "./remote-credentials/remote-credentials.module.js";
import { rendering } from "./rendering/rendering.module.js";
import { repositories } from "./repositories/repositories.module.js";
import { searchIndex } from "./search-index/search-index.module.js";
import { sources } from "./sources/sources.module.js";
import { targets } from "./targets/targets.module.js";
import { templates } from "./templates/templates.module.js";
import { tenantProjections } from "./tenant-projections/tenant-projections.module.js";
import { validations } from "./validations/validations.module.js";
import { workerPool } from "./worker-pool/worker-pool.module.js";

/** The slices of this subgraph. A slice uses only slices above its own. */
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
