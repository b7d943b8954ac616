import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type StartedSubgraph, startSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import type { AuthorizationPages } from "./connections/connection-authorization/authorization-pages.js";
import { authorizationPagesService } from "./connections/connection-authorization/connection-authorization.module.js";
import { type IntegrationSettings, integrationModules } from "./modules.js";
import { integrationTables } from "./tables.js";

/** The guide for this subgraph's users, in Markdown. */
export const guideAddress = new URL("../GUIDE.md", import.meta.url);

/** The started subgraph, with the pages on which people authorize connections. */
export interface Integration extends StartedSubgraph {
  /** Serves `/integrations/oauth/*`. The body is unread. */
  readonly connectionPages: AuthorizationPages;
}

/** Migrates the schema `integration` and starts its slices. The caller closes the subgraph. */
export async function startIntegration(host: SubgraphHost, settings: IntegrationSettings): Promise<Integration> {
  const subgraph = await startSubgraph(host, {
    modules: integrationModules,
    tables: integrationTables,
    settings,
    cursors: new CursorSeal(settings.masterKeys.keyring("list cursors")),
    reseal: settings.masterKeys.hasFormer,
    workerConnections: 2,
  });
  return { ...subgraph, connectionPages: subgraph.get(authorizationPagesService) };
}
