import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type StartedSubgraph, startSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import { type IntegrationSettings, integrationModules } from "./modules.js";
import { integrationTables } from "./tables.js";

/** Migrates the schema `integration` and starts its slices. The caller closes the subgraph. */
export function startIntegration(host: SubgraphHost, settings: IntegrationSettings): Promise<StartedSubgraph> {
  return startSubgraph(host, {
    modules: integrationModules,
    migrations: integrationTables.migrations,
    settings,
    cursors: new CursorSeal(settings.masterKeys.keyring("list cursors")),
    reseal: settings.masterKeys.hasFormer,
    workerConnections: 2,
  });
}
