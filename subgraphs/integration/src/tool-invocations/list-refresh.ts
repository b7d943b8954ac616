import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ListToolsResult } from "@modelcontextprotocol/client";
import type { VendorTarget } from "../vendor-calls/exchange/vendor-call.js";
import type { DefinitionStore } from "./definition-store.js";
import { listedTools } from "./definitions.js";
import type { ToolSession } from "./server-calls/tool-servers.js";

/** A list without `ttlMs` counts for a minute, and none for more than an hour. */
const defaultFreshMs = 60_000;
const maxFreshMs = 3_600_000;

/** Reads the list of tools of a server, and stores it. */
export class ListRefresh {
  readonly #database: Database;
  readonly #store: DefinitionStore;

  constructor(database: Database, store: DefinitionStore) {
    this.#database = database;
    this.#store = store;
  }

  /** Returns the number of tools. Records ToolListRefreshed when the list differs from the stored one. */
  async refresh({ client, options }: ToolSession, target: VendorTarget): Promise<number> {
    const { tenant, cause, connection, runId } = target;
    const list: ListToolsResult & { readonly ttlMs?: unknown } = await client.listTools(undefined, options);
    const listed = listedTools(list.tools);
    const freshMs = typeof list.ttlMs === "number" ? Math.min(Math.max(0, list.ttlMs), maxFreshMs) : defaultFreshMs;
    const { connectionId, projectId } = connection;
    return this.#database.transaction(tenant, cause, async (transaction) => {
      const { isFirst, ...change } = await this.#store.storeIn(transaction, connectionId, listed, freshMs / 1000);
      if (!isFirst && change.added + change.changed + change.removed === 0) return change.tools;
      const data = { connectionId, runId, ...change };
      transaction.record({ type: "ToolListRefreshed", subject: `connections/${connectionId}`, projectId, data });
      return change.tools;
    });
  }
}
