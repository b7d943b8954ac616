import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** An open circuit breaker for one origin of a tenant. A closed breaker has no row. */
@Entity(workerTable("webhook_breakers"))
@Index({ name: "webhook_breakers_paused_until", properties: ["pausedUntil"] })
export class WebhookBreakerRow {
  [PrimaryKeyProp]?: ["tenantId", "origin"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  origin: string;

  /** How often the breaker has opened since the last response. The pause grows with it. */
  @Property({ type: "integer" })
  openings: number;

  @Property({ type: "timestamptz" })
  pausedUntil: Date;
}
