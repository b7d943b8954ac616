import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { PlanSubscriptionState } from "./plan-subscription.states.js";

/** The paid plan of a tenant. Provisioning creates it, because the specification has no operation for that. */
@Entity(tenantTable("plan_subscriptions"))
export class PlanSubscription {
  [PrimaryKeyProp]?: ["tenantId", "subscriptionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("sub") })
  subscriptionId: string;

  @Property({ type: "text" })
  editionCode: string;

  @Property({ type: "text" })
  status: PlanSubscriptionState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
