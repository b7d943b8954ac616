import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A chain's signed head (`sign-seal.ts`). */
@Entity(workerTable("audit_seals"))
export class ChainSeal {
  [PrimaryKeyProp]?: ["tenantId", "position"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "bigint" })
  position: string;

  @Property({ type: "Buffer", columnType: "bytea" })
  hash: Buffer;

  @Property({ type: "timestamptz" })
  sealedAt: Date;

  /** A compact JWS (RFC 7515). */
  @Property({ type: "text" })
  jws: string;
}
