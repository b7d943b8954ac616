import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * A version belongs to a user's or client's rights, to a client in every token that it takes part in, or to a tenant.
 */
export type SubjectKind = "Principal" | "Client" | "Tenant";

/**
 * How often a subject's rights were taken away. It ascends in the transaction that takes them. Without a row, never.
 */
@Entity(workerTable("subject_versions"))
export class SubjectVersion {
  [PrimaryKeyProp]?: ["tenantId", "kind", "subject"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  kind: SubjectKind;

  /** `usr_…`, `cli_…` or `ten_…`. */
  @PrimaryKey({ type: "text" })
  subject: string;

  @Property({ type: "bigint" })
  version: string;
}
