import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { LeftOutTool } from "./server-calls/left-out-tool.js";

/** When a connection's tool list was read, and how long it counts. */
@Entity(tenantTable("listed_servers"))
export class ListedServer {
  [PrimaryKeyProp]?: ["tenantId", "connectionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("con") })
  connectionId: string;

  @Property({ type: "timestamptz" })
  listedAt: Date;

  /** The server has declared its list fresh until then. */
  @Property({ type: "timestamptz" })
  freshUntil: Date;

  /** The tools in the list that the platform does not offer, at most 100. */
  @Property({ type: "jsonb", default: "[]" })
  leftOut: readonly LeftOutTool[];
}
