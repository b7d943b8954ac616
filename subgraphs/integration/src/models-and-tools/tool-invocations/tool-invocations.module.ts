import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { ConnectionService } from "../../connections/connections/connection.service.js";
import { ConnectionEndListeners } from "../../connections/connections/connection-end-listeners.js";
import { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { LateEnds } from "../../runs/held/late-ends.js";
import { HeldRuns } from "../../runs/held-runs.js";
import { AcceptanceResolver } from "./acceptance/acceptance.resolver.js";
import { AcceptanceService } from "./acceptance/acceptance.service.js";
import { AttendedRuns } from "./attended-runs.js";
import { ConnectionToolsResolver } from "./connection-tools.resolver.js";
import { ConnectionToolsService } from "./connection-tools.service.js";
import { DefinitionStore } from "./definition-store.js";
import { recordInvocationEnd } from "./invocation-events.js";
import { InvokeTool } from "./invoke-tool.js";
import { ListRefresh } from "./list-refresh.js";
import { ListTools } from "./list-tools.js";
import { ListedServer } from "./listed-server.entity.js";
import { type LocalServers, localServerOf } from "./local-servers/local-server-settings.js";
import { StdioChannels } from "./local-servers/stdio-channel.js";
import { httpChannel } from "./server-calls/http-channel.js";
import { ToolServers } from "./server-calls/tool-servers.js";
import { toolEndpoint } from "./tool.endpoint.js";
import { Tool } from "./tool.entity.js";

export interface ToolInvocationSettings {
  /** Verifies callers' tokens over gRPC. Without it tools cannot be invoked. */
  readonly verifier?: Verifier;
  /** How long a tool may take without a sign of progress. Default: 60 s. */
  readonly toolIdleMs?: number;
  /** The tool servers that the operator runs as programs. Default: none. */
  readonly localToolServers?: LocalServers;
  /** How much memory a tool server's program may use, with the programs that it starts. Default: 512 MiB. */
  readonly localToolServerBytes?: number;
}

const withConnection = "The deletion of a connection deletes its tools.";

/** Lists and invokes the tools on tool servers (Model Context Protocol) through connections. */
export const toolInvocations: SliceModule<ToolInvocationSettings> = {
  slice: "tool-invocations",
  entities: [ListedServer, Tool],
  foreignKeys: {
    "listed_servers.connection_id": { to: null, why: withConnection },
    "tools.connection_id": { to: null, why: withConnection },
  },
  events: ["ToolListRefreshed", "ToolDefinitionAccepted", "ToolInvoked", "ToolInvocationFailed"],
  start({ database, cursors, settings, onClose }, services) {
    const { localToolServers = new Map(), localToolServerBytes: maxMemoryBytes = 512 * 1024 * 1024 } = settings;
    const { toolIdleMs: idleMs = 60_000 } = settings;
    const heldRuns = services.get(HeldRuns);
    heldRuns.add("ListTools", recordInvocationEnd);
    heldRuns.add("InvokeTool", recordInvocationEnd);
    const store = new DefinitionStore(database);
    services.get(ConnectionEndListeners).add((transaction, connectionId) => store.forget(transaction, connectionId));
    const programs = new StdioChannels(localToolServers, services.get(CredentialService), { maxMemoryBytes });
    onClose(() => programs.close());
    const http = httpChannel(services.get(VendorCalls));
    const parts = {
      connections: services.get(ConnectionService),
      providers: services.get(ProviderService),
      store,
      refresh: new ListRefresh(database, store),
      servers: new ToolServers((protocol, sessionRequest) => {
        const isLocal = localServerOf(sessionRequest.target.connection.configuration) !== undefined;
        return (isLocal ? programs.open : http)(protocol, sessionRequest);
      }),
      runs: new AttendedRuns(database, heldRuns, services.get(LateEnds)),
      idleMs,
    };
    services.add(new AcceptanceService(database));
    services.add(new ConnectionToolsService({ database, connections: parts.connections, store, cursors }));
    services.add(new InvokeTool(parts));
    services.add(new ListTools(database, parts));
  },
  resolvers: (get) => [
    new AcceptanceResolver(get(AcceptanceService)),
    new ConnectionToolsResolver(get(ConnectionToolsService)),
  ],
  grpcServices: (get, { settings: { verifier } }) =>
    verifier ? [toolEndpoint({ invocations: get(InvokeTool), lists: get(ListTools), verifier })] : [],
  links: {
    "AcceptedTool.connectionId": { to: "Connection" },
    "ConnectionTool.connectionId": { to: "Connection" },
  },
};
