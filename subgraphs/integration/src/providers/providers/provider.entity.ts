import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { tenantTable, withLookup } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { AuthModel } from "@factory/schema/vocabularies/connections";
import type { ProviderCategory } from "@factory/schema/vocabularies/providers";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import type { ProviderState } from "./provider.states.js";

/** Workers find an inbound delivery's tenants by its provider's key. */
@Entity(withLookup(tenantTable("providers"), "status <> 'Retired'"))
@Unique({ name: "providers_key", properties: ["tenantId", "key"] })
@Unique({ name: "providers_api_client", properties: ["tenantId", "apiClientId"] })
@Index({ name: "providers_of_key", properties: ["key"] })
@Index({ name: "providers_by_display_name", properties: ["tenantId", "displayName", "providerId"] })
@Index({ name: "providers_by_registration", properties: ["tenantId", "registeredAt", "providerId"] })
export class Provider {
  [PrimaryKeyProp]?: ["tenantId", "providerId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("prv") })
  providerId: string;

  /** The key in lower case, as in the header `X-Svc-Provider`. */
  @Property({ type: "text" })
  key: string;

  @Property({ type: "text" })
  displayName: string;

  @Property({ type: "text" })
  category: ProviderCategory;

  @Property({ type: "text" })
  authModel: AuthModel;

  @Property({ type: "text", nullable: true })
  apiClient: string | null;

  @Property({ type: wireId("apc") })
  apiClientId: string;

  @Property({ type: "text[]" })
  capabilities: string[];

  @Property({ type: "text", nullable: true })
  baseUrl: string | null;

  /** The name that a platform preset has. */
  @Property({ type: "text", nullable: true })
  preset: string | null;

  /** The members that replace those in the preset's driver. */
  @Property({ ...foreignJson(), nullable: true })
  driver: ProviderDriver | null;

  /** The principals that chose one of the vendor's hosts without the scope to write credentials. */
  @Property({ type: "text[]", default: [] })
  hostsChosenBy: string[];

  @Property({ type: "text" })
  status: ProviderState;

  /** The reason for the last change to the state. Null when no reason was given, and before the first change. */
  @Property({ type: "text", nullable: true })
  statusReason: string | null;

  @Property({ type: "timestamptz", length: 3 })
  registeredAt: Date;
}
