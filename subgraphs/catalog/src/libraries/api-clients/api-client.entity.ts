import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ApiClientState } from "./provider-event.js";

/** A copy of integration's provider, from its events. The details are null until the registration has arrived. */
@Entity(tenantTable("api_clients"))
@Unique({ name: "api_clients_id", properties: ["tenantId", "apiClientId"] })
export class ApiClient {
  [PrimaryKeyProp]?: ["tenantId", "providerId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("prv") })
  providerId: string;

  @Property({ type: wireId("apc"), nullable: true })
  apiClientId: string | null;

  @Property({ type: "text", nullable: true })
  key: string | null;

  @Property({ type: "text", nullable: true })
  displayName: string | null;

  @Property({ type: "text", nullable: true })
  category: string | null;

  @Property({ type: "text[]" })
  capabilities: string[];

  /** When the event happened that gave the details. An earlier event does not change them. Null: a former release. */
  @Property({ type: "timestamptz", nullable: true })
  detailsSince: Date | null;

  @Property({ type: wireId("evt"), nullable: true })
  detailsEventId: string | null;

  @Property({ type: "text" })
  status: ApiClientState;

  /** When the event happened that set `status`. An earlier event does not change `status`. */
  @Property({ type: "timestamptz" })
  statusSince: Date;

  /** That event's id. It orders events from the same millisecond. */
  @Property({ type: wireId("evt") })
  statusEventId: string;
}
