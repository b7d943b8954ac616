import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { AuditOutcome } from "@factory/schema/vocabularies/governance";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * An audit log record in its tenant's chain (`chain-record.ts`). No role changes or deletes a row: the worker inserts,
 * and two functions that the owner has defined erase personal data and delete sealed prefixes.
 */
@Entity(workerTable("audit_records"))
@Unique({ name: "audit_records_record", properties: ["tenantId", "recordId"] })
@Index({ name: "audit_records_page", properties: ["tenantId", "recordedAt", "position"] })
@Index({ name: "audit_records_by_operation", properties: ["tenantId", "operation", "recordedAt", "position"] })
@Index({ name: "audit_records_by_outcome", properties: ["tenantId", "outcome", "recordedAt", "position"] })
@Index({
  name: "audit_records_by_principal",
  properties: ["tenantId", "principal", "recordedAt", "position"],
  where: "principal is not null",
})
@Index({
  name: "audit_records_by_subject",
  properties: ["tenantId", "subject", "recordedAt", "position"],
  where: "subject is not null",
})
@Index({
  name: "audit_records_by_code",
  properties: ["tenantId", "code", "recordedAt", "position"],
  where: "code is not null",
})
@Index({
  name: "audit_records_email",
  expression:
    "create index audit_records_email on audit_records (tenant_id, lower(email), recorded_at, position) where email is not null",
})
export class ChainedRecord {
  [PrimaryKeyProp]?: ["tenantId", "position"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The place in the tenant's chain, from 1, ascending without gaps. */
  @PrimaryKey({ type: "bigint" })
  position: string;

  @Property({ type: wireId("aud") })
  recordId: string;

  /** The record's time, in milliseconds because its hash covers no more. */
  @Property({ type: "Date", columnType: "timestamptz(3)" })
  recordedAt: Date;

  @Property({ type: "text" })
  source: string;

  @Property({ type: "text" })
  operation: string;

  @Property({ type: "text" })
  outcome: AuditOutcome;

  @Property({ type: "text", nullable: true })
  subject: string | null;

  @Property({ type: "text", nullable: true })
  principal: string | null;

  @Property({ type: "text", nullable: true })
  principalType: string | null;

  @Property({ type: "text", nullable: true })
  clientId: string | null;

  @Property({ type: "text", nullable: true })
  agent: string | null;

  @Property({ type: "text", nullable: true })
  agentTaskId: string | null;

  @Property({ type: "text", nullable: true })
  approvalId: string | null;

  @Property({ type: "text" })
  traceId: string;

  @Property({ type: "text", nullable: true })
  code: string | null;

  @Property({ type: "integer", nullable: true })
  status: number | null;

  @Property({ type: "integer", nullable: true })
  count: number | null;

  @Property({ type: "Date", columnType: "timestamptz(3)", nullable: true })
  firstAt: Date | null;

  /** Binds the personal data to the chain; null if the record never had any. */
  @Property({ type: "Buffer", columnType: "bytea", nullable: true })
  personalDigest: Buffer | null;

  /** The digest's salt. It is erased with the personal data, so that nobody can guess them from the digest. */
  @Property({ type: "Buffer", columnType: "bytea", nullable: true })
  personalSalt: Buffer | null;

  @Property({ type: "text", nullable: true })
  address: string | null;

  @Property({ type: "text", nullable: true })
  email: string | null;

  @Property({ type: "text", nullable: true })
  userAgent: string | null;

  @Property({ type: "Buffer", columnType: "bytea" })
  hash: Buffer;
}
