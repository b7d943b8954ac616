import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A user's wrong codes since the last right one, and the lock that they have closed. */
@Entity(workerTable("factor_locks"))
@Unique({ name: "factor_locks_link", properties: ["linkDigest"] })
export class FactorLock {
  [PrimaryKeyProp]?: ["tenantId", "userId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  /** Wrong codes, and codes that are being checked. */
  @Property({ type: "integer" })
  failures: number;

  /** Null: codes are accepted. */
  @Property({ type: "timestamptz", nullable: true })
  lockedAt: Date | null;

  /** The link's token is derived from it and from a platform key. Neither alone reveals it. */
  @Property({ type: "text", nullable: true })
  linkNonce: string | null;

  /** The token's SHA-256, hex. */
  @Property({ type: "text", nullable: true })
  linkDigest: string | null;

  @Property({ type: "timestamptz", nullable: true })
  linkExpiresAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  linkMailedAt: Date | null;

  /** The last time a link lifted a lock. For a day after it no other link does. */
  @Property({ type: "timestamptz", nullable: true })
  linkUsedAt: Date | null;
}
