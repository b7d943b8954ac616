import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ListToolsResult } from "@modelcontextprotocol/client";
import type { VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { DefinitionStore } from "./definition-store.js";
import { takenList } from "./definitions.js";
import { defaultFreshMs } from "./server-calls/answer-reader.js";
import { type LeftOutTool, leftOutTool } from "./server-calls/left-out-tool.js";
import { withSentNumbers } from "./server-calls/sent-numbers.js";
import type { ToolSession } from "./server-calls/tool-servers.js";

/** No list counts for more than an hour. */
const maxFreshMs = 3_600_000;

/** Reads a server's tool list, and stores it. */
export class ListRefresh {
  readonly #database: Database;
  readonly #store: DefinitionStore;

  constructor(database: Database, store: DefinitionStore) {
    this.#database = database;
    this.#store = store;
  }

  /** Returns how many tools there are. Records ToolListRefreshed when the list differs from the stored one. */
  async refresh({ client, options, facts }: ToolSession, target: VendorTarget): Promise<number> {
    const { tenant, cause, connection, runId } = target;
    const list: ListToolsResult & { readonly ttlMs?: unknown } = await client.listTools(undefined, options);
    const takenTools = takenList(list.tools.map((tool) => withSentNumbers(tool, facts.offered)));
    const leftOut = [
      ...facts.leftOut,
      ...undeclared(
        facts.offered.map(({ name }) => String(name)),
        list.tools,
      ),
      ...takenTools.leftOut,
    ];
    const freshMs = typeof list.ttlMs === "number" ? Math.min(Math.max(0, list.ttlMs), maxFreshMs) : defaultFreshMs;
    const { connectionId, projectId } = connection;
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const { isFirst, ...change } = await this.#store.storeIn(transaction, connectionId, {
        ...{ listed: takenTools.listed, leftOut, freshSeconds: freshMs / 1000 },
      });
      if (!isFirst && change.added + change.changed + change.removed === 0) return change.tools;
      const data = { connectionId, runId, ...change };
      transaction.record({ type: "ToolListRefreshed", subject: `connections/${connectionId}`, projectId, data });
      return change.tools;
    });
  }
}

/** The tools that the protocol's client has left out, which it does for one reason. */
function undeclared(offeredNames: readonly string[], tools: readonly { readonly name: string }[]): LeftOutTool[] {
  const names = new Set(tools.map(({ name }) => name));
  return offeredNames
    .filter((name) => !names.has(name))
    .map((name) => leftOutTool(name, "The input schema has a declaration x-mcp-header that is not valid."));
}
