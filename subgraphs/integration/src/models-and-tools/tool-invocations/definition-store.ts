import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { unknownConnection } from "../../connections/connections/locked-connection.js";
import type { ListedTool, TakenList } from "./definitions.js";
import { namePartsOf } from "./qualified-name.js";
import { type LeftOutTool, leftOutTool, maxLeftOut } from "./server-calls/left-out-tool.js";
import { namesOfServers } from "./server-names.js";
import { Tool } from "./tool.entity.js";
import { keepConnection } from "./tool-connections-statement.js";

const shownMembers = ["name", "part", "definition", "definitionHash", "acceptedHash", "position"] as const;
export const toolColumns = columnsOf(Tool, shownMembers);
export type ToolRow = RowOf<Tool, (typeof shownMembers)[number]>;
export const readTool = rowReader(Tool);

/** A tool that a connection has listed. */
export type StoredTool = RecordOf<Tool, (typeof shownMembers)[number]>;

/** How a list differs from the one before. */
interface ListChange {
  readonly isFirst: boolean;
  readonly tools: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** A list to be stored, and how long it counts. */
interface NewList extends TakenList {
  readonly freshSeconds: number;
}

/** How many names are remembered for a server, with those in its newest list. */
const maxNames = 1024;

const freshList = tenantStatement(
  "tool_list_is_fresh",
  `select fresh_until > now() as is_fresh from listed_servers where tenant_id = scope.tenant and connection_id = $2`,
);

const namedTools = tenantStatement(
  "tools_by_name",
  `select ${toolColumns} from tools
   where tenant_id = scope.tenant and connection_id = $connection and position is not null
     and (name = $name or part = $part) order by name = $name desc`,
);

const listedNames = tenantStatement(
  "tool_names",
  `select name from tools where tenant_id = scope.tenant and connection_id = $2 and position is not null
   order by name limit ${maxNames}`,
);

/** In name order, which a list that is read anew between two pages does not change. */
const someTools = tenantStatement(
  "tools_after_name",
  `select ${toolColumns} from tools
   where tenant_id = scope.tenant and connection_id = $connection and position is not null
     and ($after::text is null or name > $after) order by name limit $limit`,
);

/** The row is locked, so that two lists from one server are stored one after the other. $3: seconds. */
const storeServer = {
  name: "tool_list_store",
  text: `insert into listed_servers as server (tenant_id, connection_id, listed_at, fresh_until)
    values ($1, $2, now(), now() + $3::float8 * interval '1 second')
    on conflict (tenant_id, connection_id) do update
      set listed_at = excluded.listed_at, fresh_until = excluded.fresh_until
    returning (xmax = 0) as is_first`,
};

const knownTools = {
  name: "tools_known",
  text: "select name, definition_hash, position from tools where tenant_id = $1 and connection_id = $2",
};

const takeOff = {
  name: "tools_take_off",
  text: `update tools set position = null, definition = ''
    where tenant_id = $1 and connection_id = $2 and position is not null and name <> all($3::text[])`,
};

const storeTools = namedStatement(
  "tools_store",
  `insert into tools as known (tenant_id, connection_id, name, part, definition, definition_hash, accepted_hash, position)
    select $tenant, $connection, name, part, definition, hash, hash, place - 1
    from unnest($names::text[], $parts::text[], $definitions::text[], $hashes::text[]) with ordinality
      as tool(name, part, definition, hash, place)
    on conflict (tenant_id, connection_id, name) do update
      set part = excluded.part, definition = excluded.definition, definition_hash = excluded.definition_hash,
        position = excluded.position`,
);

const storeLeftOut = {
  name: "tools_store_left_out",
  text: "update listed_servers set left_out = $3 where tenant_id = $1 and connection_id = $2",
};

const leftOutTools = tenantStatement(
  "tools_left_out",
  "select left_out from listed_servers where tenant_id = scope.tenant and connection_id = $2",
);

const forgetAll = [
  "delete from tools where tenant_id = $1 and connection_id = $2",
  "delete from listed_servers where tenant_id = $1 and connection_id = $2",
];

/** Keeps the tool lists and the hashes for accepted definitions. */
export class DefinitionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async isFresh(tenant: Tenant, connectionId: string): Promise<boolean> {
    const row = await this.#database.reader.row<{ is_fresh: boolean }>(freshList, tenant, uuidOf(connectionId));
    return row?.is_fresh ?? false;
  }

  /**
   * The tools that a name may mean: first the one that the server calls so, then the one with this qualified name. A name
   * that begins with another server names no tool of this connection by its qualified name.
   */
  async named(tenant: Tenant, connectionId: string, name: string): Promise<StoredTool[]> {
    const { reader } = this.#database;
    const parts = namePartsOf(name);
    const isOwn = parts !== undefined && (await namesOfServers(reader, tenant)).get(connectionId) === parts.server;
    const values = { connection: uuidOf(connectionId), name, part: isOwn ? parts.tool : null };
    return (await reader.rows<ToolRow>(namedTools, tenant, ...namedTools.valuesOf(values))).map(readTool);
  }

  /** The newest list's tools after a name, or from the first one. */
  async after(tenant: Tenant, connectionId: string, name: string | null, limit: number): Promise<StoredTool[]> {
    const values = someTools.valuesOf({ connection: uuidOf(connectionId), after: name, limit });
    return (await this.#database.reader.rows<ToolRow>(someTools, tenant, ...values)).map(readTool);
  }

  /** The tool names in the newest list. */
  async names(tenant: Tenant, connectionId: string): Promise<string[]> {
    const { reader } = this.#database;
    const rows = await reader.rows<{ name: string }>(listedNames, tenant, uuidOf(connectionId));
    return rows.map(({ name }) => name);
  }

  /** The tools that the newest list had and the platform does not offer, at most 100. */
  async leftOut(tenant: Tenant, connectionId: string): Promise<readonly LeftOutTool[]> {
    const row = await this.#database.reader.row<{ left_out: LeftOutTool[] }>(
      leftOutTools,
      tenant,
      uuidOf(connectionId),
    );
    return row?.left_out ?? [];
  }

  /**
   * Stores a list. A tool's first definition is accepted; a later one is not. Names are never forgotten, since the
   * server would choose which: without room for a new name, its tool is left out. Throws CONNECTION_NOT_FOUND.
   */
  async storeIn(
    { execute, defer, tenant }: Transaction,
    connectionId: string,
    { listed, leftOut, freshSeconds }: NewList,
  ): Promise<ListChange> {
    const at = [tenant.uuid, uuidOf(connectionId)];
    // The connection's deletion waits for this lock, or has deleted the tools for good.
    if ((await execute(keepConnection, at)).length === 0) throw unknownConnection();
    const [server] = await execute<{ is_first: boolean }>(storeServer, [...at, freshSeconds]);
    const knownRows = await execute<Pick<ToolRow, "name" | "definition_hash" | "position">>(knownTools, at);
    const before = new Map(knownRows.map(({ name, ...rest }) => [name, rest]));
    let room = maxNames - knownRows.length;
    const [tools, without] = [[] as ListedTool[], [] as LeftOutTool[]];
    for (const tool of listed)
      if (before.has(tool.name) || room-- > 0) tools.push(tool);
      else without.push(leftOutTool(tool.name, noRoom));
    const names = tools.map(({ name }) => name);
    await defer(storeLeftOut, [...at, JSON.stringify([...leftOut, ...without].slice(0, maxLeftOut))]);
    await defer(takeOff, [...at, names]);
    const values = storeTools.valuesOf({
      tenant: tenant.uuid,
      connection: uuidOf(connectionId),
      names,
      parts: tools.map(({ part }) => part),
      definitions: tools.map(({ definition }) => definition),
      hashes: tools.map(({ definitionHash }) => definitionHash),
    });
    await defer(storeTools, values);
    const former = knownRows.filter(({ position }) => position !== null);
    return {
      isFirst: server?.is_first ?? false,
      tools: tools.length,
      added: names.filter((name) => (before.get(name)?.position ?? null) === null).length,
      changed: tools.filter(({ name, definitionHash }) => isOther(before.get(name)?.definition_hash, definitionHash))
        .length,
      removed: former.filter(({ name }) => !names.includes(name)).length,
    };
  }

  /** Deletes what belongs to a connection that is deleted. */
  async forget({ defer, tenant }: Transaction, connectionId: string): Promise<void> {
    for (const statement of forgetAll) await defer(statement, [tenant.uuid, uuidOf(connectionId)]);
  }
}

const noRoom = `The platform remembers ${maxNames} names of a server and has no room for another one. Connect the server anew.`;

const isOther = (before: string | undefined, hash: string) => before !== undefined && before !== hash;

const uuidOf = (connectionId: string): string | null => decodeId("con", connectionId) ?? null;
