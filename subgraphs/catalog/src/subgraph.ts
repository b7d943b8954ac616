import type { IncomingMessage, ServerResponse } from "node:http";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { type StartedSubgraph, startSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import { executionInChild } from "./execution-child.js";
import { templateWorkerUrl } from "./executions/template-worker/template-worker-url.js";
import { requireGit } from "./git/git/git-version.js";
import { readGitPath } from "./git/repositories/git-request.js";
import { gitHttpService } from "./git/repositories/repositories.module.js";
import { type CatalogModuleSettings, catalogModules } from "./modules.js";
import { catalogTables } from "./tables.js";

/** The guide for this subgraph's users, in Markdown. */
export const guideAddress = new URL("../GUIDE.md", import.meta.url);

/** The settings that the process gives; the entries of child processes are added here. */
interface CatalogSettings extends Omit<CatalogModuleSettings, "workerEntry" | "runInChild"> {
  readonly masterKeys: MasterKeys;
}

/** The started catalog, with its git server. */
export interface Catalog extends StartedSubgraph {
  /** Serves `/git/{tenantSlug}/{owner}/{name}.git`, read-only. */
  git(request: IncomingMessage, response: ServerResponse): void;
}

/** Migrates the schema `catalog` and starts its slices. Throws where git is missing or too old. The caller closes the subgraph. */
export async function startCatalog(host: SubgraphHost, settings: CatalogSettings): Promise<Catalog> {
  await requireGit();
  const { masterKeys } = settings;
  const runInChild = executionInChild(host, settings);
  const subgraph = await startSubgraph(host, {
    modules: catalogModules,
    tables: catalogTables,
    settings: { ...settings, workerEntry: templateWorkerUrl, runInChild },
    cursors: new CursorSeal(masterKeys.keyring("factory catalog list cursors"), masterKeys.underived),
    reseal: masterKeys.hasFormer,
    workerConnections: 1,
  });
  const git = subgraph.get(gitHttpService);
  return {
    ...subgraph,
    git(request, response) {
      const path = readGitPath(request.url ?? "") ?? { tenant: "", owner: "", name: "", rest: "" };
      void git(request, response, path);
    },
  };
}
