import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { CredentialVersionState } from "./credential.states.js";

/**
 * The sealed material of one version. A retired version keeps its row and loses `wrappedKey`. Workers find, across
 * tenants, the versions that a former master key wraps.
 */
@Entity(sweptTenantTable("credential_versions", "wrapped_key is not null"))
export class CredentialVersion {
  [PrimaryKeyProp]?: ["tenantId", "credentialId", "version"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("crd") })
  credentialId: string;

  @PrimaryKey({ type: "integer" })
  version: number;

  @Property({ type: "text" })
  stage: CredentialVersionState;

  /** The end of the grace period, in which a Previous version is still used for signing. */
  @Property({ type: "timestamptz", nullable: true })
  graceEndsAt: Date | null;

  @Property({ type: "text" })
  keyId: string;

  @Property({ type: "blob", nullable: true })
  wrappedKey: Buffer | null;

  @Property({ type: "blob" })
  ciphertext: Buffer;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
