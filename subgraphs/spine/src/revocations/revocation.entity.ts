import type { Revocation as RevocationFact } from "@factory/runtime/auth/revocations";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A revocation, or the end of one. It is kept as long as a token that it covers can be alive. */
@Entity(workerTable("revocations"))
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

  @Property({ type: "timestamptz" })
  @Index({ name: "revocations_since" })
  revokedAt: Date;

  @Property({ type: "timestamptz" })
  @Index({ name: "revocations_expiry" })
  expiresAt: Date;
}
