import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * An execution that was counted, or is about to be, and does not exist yet. The transaction that creates the execution
 * deletes the row; a job gives back what a dead process has left.
 */
@Entity(sweptTenantTable("execution_reservations", "true"))
@Index({ name: "execution_reservations_swept", properties: ["executionId"] })
export class ExecutionReservation {
  [PrimaryKeyProp]?: ["tenantId", "executionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("exe") })
  executionId: string;

  @Property({ type: "timestamptz" })
  reservedAt: Date;

  /** The usage is being given back, so the execution can no longer be created. */
  @Property({ type: "boolean" })
  isEnding: boolean;
}
