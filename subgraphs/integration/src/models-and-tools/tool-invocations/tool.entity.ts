import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A tool that a connection's server has listed. */
@Entity(tenantTable("tools"))
export class Tool {
  [PrimaryKeyProp]?: ["tenantId", "connectionId", "name"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("con") })
  connectionId: string;

  /** As the server calls it. */
  @PrimaryKey({ type: "text" })
  name: string;

  /** The part for the tool in its qualified name. */
  @Property({ type: "text" })
  part: string;

  /** The definition as canonical JSON. It is a text, since a server's JSON may hold what a JSON column refuses. */
  @Property({ type: "text" })
  definition: string;

  /** The definition's SHA-256. */
  @Property({ type: "text" })
  definitionHash: string;

  /** The hash for the definition that may be invoked: the first one, until somebody accepts another. */
  @Property({ type: "text" })
  acceptedHash: string;

  /** The place in the newest list, from 0. Null when that list does not have the tool. */
  @Property({ type: "integer", nullable: true })
  position: number | null;
}
