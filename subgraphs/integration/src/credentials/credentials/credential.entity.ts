import { sweptTenantTable, withLookup } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { CredentialState } from "./credential.states.js";

/**
 * A tenant's secret under a name. Workers find, across tenants, the credentials that time changes, and those whose
 * secrets verify inbound deliveries.
 */
@Entity(
  withLookup(
    sweptTenantTable("credentials", "next_change_at is not null"),
    "status in ('Active', 'Rotating', 'RotationFailed')",
  ),
)
@Unique({ name: "credentials_name", properties: ["tenantId", "name"] })
@Index({ name: "credentials_by_creation", properties: ["tenantId", "createdAt", "credentialId"] })
@Index({
  name: "credentials_due",
  expression: "create index credentials_due on credentials (next_change_at) where next_change_at is not null",
})
export class Credential {
  [PrimaryKeyProp]?: ["tenantId", "credentialId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("crd") })
  credentialId: string;

  /** The name without `secret://`. Other resources' fields refer to it when their name ends with Ref. */
  @Property({ type: "text" })
  name: string;

  @Property({ type: "text" })
  kind: CredentialKind;

  @Property({ type: "integer" })
  currentVersion: number;

  @Property({ type: "text" })
  status: CredentialState;

  /** The time after which the vendor no longer accepts the current version; null when it is not known. */
  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;

  /** How long a replaced version stays in use; null means 24 hours. */
  @Property({ type: "integer", nullable: true })
  graceSeconds: number | null;

  @Property({ type: "integer", nullable: true })
  rotationIntervalDays: number | null;

  @Property({ type: "timestamptz", nullable: true })
  nextRotationAt: Date | null;

  /** The run that verifies the Pending version while the credential is Rotating, and the last one afterwards. */
  @Property({ type: wireId("run"), nullable: true })
  rotationRunId: string | null;

  /** When a rotation fails that waits for its material; null when none waits. */
  @Property({ type: "timestamptz", nullable: true })
  materialDueAt: Date | null;

  /** The last warning about `expiresAt`, as the number of days before it; null before the first one. */
  @Property({ type: "integer", nullable: true })
  expiryWarningDays: number | null;

  /** When time changes the credential next, as `nextChange` computes it; null when it does not. */
  @Property({ type: "timestamptz", nullable: true })
  nextChangeAt: Date | null;

  /** When the job for this change was sent; null before that. */
  @Property({ type: "timestamptz", nullable: true })
  changeSentAt: Date | null;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;
}
