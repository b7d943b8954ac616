import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** The used part of a tenant's budget, as two virtual queues that all processes share. */
@Entity(workerTable("model_budgets"))
@Index({ name: "model_budgets_token_at", properties: ["tokenAt"] })
export class ModelBudgetUse {
  [PrimaryKeyProp]?: ["tenantId", "budget"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The entry's key in the setting `models.budgets`. */
  @PrimaryKey({ type: "text" })
  budget: string;

  /** The time at which all requests have come back. */
  @Property({ type: "timestamptz" })
  requestAt: Date;

  /** The time at which all tokens have come back. */
  @Property({ type: "timestamptz" })
  tokenAt: Date;
}
