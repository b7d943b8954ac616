import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ScaffoldFileChange } from "./scaffold-file.type.js";

/** The change that one execution made to one file in its target. */
@Entity(tenantTable("scaffold_files"))
export class ScaffoldFile {
  [PrimaryKeyProp]?: ["tenantId", "scaffoldOutputId", "path"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("sca") })
  scaffoldOutputId: string;

  /** Sorted by bytes, as git sorts. */
  @PrimaryKey({ type: "text", collation: "C" })
  path: string;

  @Property({ type: "text" })
  change: keyof typeof ScaffoldFileChange;

  @Property({ type: "boolean" })
  executable: boolean;

  /** Bytes. */
  @Property({ type: "integer" })
  size: number;

  @Property({ type: "text", nullable: true })
  blobSha: string | null;
}
