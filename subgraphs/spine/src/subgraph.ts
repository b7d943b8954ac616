import type { Revocation } from "@factory/runtime/auth/revocations";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type StartedSubgraph, startSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import { RevocationFeed } from "./ground/revocations/revocation-feed.js";
import { type SpineSettings, spineModules } from "./modules.js";
import type { PlatformClient } from "./oauth-clients/platform-client.js";
import { platformClientService } from "./people/bootstrap/bootstrap.module.js";
import { ReportContents } from "./reports/reports/runs/report-contents.js";
import { FlagEvaluation } from "./settings/feature-flags/flag-evaluation.js";
import type { AuthorizationServer } from "./sign-in/authorization-server/authorization-server.js";
import { authorizationServerService } from "./sign-in/authorization-server/authorization-server.module.js";
import { spineTables } from "./tables.js";

/** The guide for this subgraph's users, in Markdown. */
export const guideAddress = new URL("../GUIDE.md", import.meta.url);

/** The running subgraph, and what the platform takes from it beside the schema. */
export interface Spine extends StartedSubgraph {
  readonly authorizationServer: AuthorizationServer;
  /** The platform administrator's client. Its secret is absent when the operator has given it. */
  readonly bootstrap: PlatformClient;
  /** Evaluates tenants' feature flags by OFREP. */
  readonly featureFlags: FlagEvaluation;
  /** The report runs' contents. */
  readonly reportContents: ReportContents;
  /** Calls the listener once for each revocation that still matters, and from then on for each new one. */
  watchRevocations(listener: (revocation: Revocation) => void): Promise<void>;
}

/** Migrates the database and starts every slice in the order of `spineModules`. */
export async function startSpine(host: SubgraphHost, settings: SpineSettings): Promise<Spine> {
  const subgraph = await startSubgraph(host, {
    modules: spineModules,
    tables: spineTables,
    settings,
    cursors: new CursorSeal(settings.masterKeys.keyring("factory spine list cursors")),
    reseal: settings.masterKeys.hasFormer,
    workerConnections: 4,
  });
  const { get } = subgraph;
  return {
    ...subgraph,
    authorizationServer: get(authorizationServerService),
    bootstrap: get(platformClientService),
    featureFlags: get(FlagEvaluation),
    reportContents: get(ReportContents),
    watchRevocations: (onRevoked) => get(RevocationFeed).start(onRevoked),
  };
}
