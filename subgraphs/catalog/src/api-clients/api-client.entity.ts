import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ApiClientState } from "./provider-event.js";

/** The catalog's own copy of what integration tells of its providers. Its details are null while only a later event
 * than the registration has arrived. */
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

  @Property({ type: "text" })
  status: ApiClientState;

  /** When the event occurred that `status` comes from; an earlier one changes it no more. */
  @Property({ type: "timestamptz" })
  statusSince: Date;

  /** Decides between events of one millisecond. */
  @Property({ type: wireId("evt") })
  statusEventId: string;
}
