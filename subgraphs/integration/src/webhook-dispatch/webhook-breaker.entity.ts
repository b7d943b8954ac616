import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** An open breaker of one tenant's origin; no row where it is closed. */
@Entity(workerTable("webhook_breakers"))
@Index({ name: "webhook_breakers_paused_until", properties: ["pausedUntil"] })
export class WebhookBreakerRow {
  [PrimaryKeyProp]?: ["tenantId", "origin"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  origin: string;

  /** How often it has opened since an answer came; the pause grows with it. */
  @Property({ type: "integer" })
  openings: number;

  @Property({ type: "timestamptz" })
  pausedUntil: Date;
}
