import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { CredentialKind, CredentialState } from "./credential.states.js";

@Entity(tenantTable("credentials"))
@Unique({ name: "credentials_name", properties: ["tenantId", "name"] })
export class Credential {
  [PrimaryKeyProp]?: ["tenantId", "credentialId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("crd") })
  credentialId: string;

  /** The name without `secret://`. Fields of other resources whose name ends with Ref refer to it. */
  @Property({ type: "text" })
  name: string;

  @Property({ type: "text" })
  kind: CredentialKind;

  @Property({ type: "integer" })
  currentVersion: number;

  @Property({ type: "text" })
  status: CredentialState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
