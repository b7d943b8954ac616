import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A call's sealed prompt and answer, for a tenant whose configuration keeps them. */
@Entity(workerTable("model_contents"))
@Index({ name: "model_contents_expires_at", properties: ["expiresAt"] })
export class ModelContent {
  [PrimaryKeyProp]?: ["tenantId", "runId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("run") })
  runId: string;

  @Property({ type: "text" })
  keyId: string;

  @Property({ type: "blob" })
  wrappedKey: Buffer;

  @Property({ type: "blob" })
  ciphertext: Buffer;

  @Property({ type: "timestamptz" })
  expiresAt: Date;
}
