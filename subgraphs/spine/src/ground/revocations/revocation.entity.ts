import type { Revocation as RevocationFact } from "@factory/runtime/auth/revocations";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A revocation, or its end. It is kept as long as a token that it covers can be alive. */
@Entity(workerTable("revocations"))
@Index({ name: "revocations_subject", properties: ["subject", "kind"] })
export class Revocation {
  [PrimaryKeyProp]?: ["tenantId", "revocationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "uuid" })
  revocationId: string;

  @Property({ type: "text" })
  kind: RevocationFact["kind"];

  @Property({ type: "text" })
  subject: string;

  /** The version that the subject has reached. Ending a token or a sign-in is version 1. */
  @Property({ type: "bigint" })
  version: string;

  /** The transaction that has written the row. Readers find by it what was committed since their last read. */
  @Property({ type: "string", columnType: "xid8", defaultRaw: "pg_current_xact_id()" })
  @Index({ name: "revocations_since" })
  writtenBy: string;

  @Property({ type: "timestamptz" })
  @Index({ name: "revocations_expiry" })
  expiresAt: Date;
}
