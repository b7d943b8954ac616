import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { RotationReason } from "@factory/schema/vocabularies/credentials";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { CredentialVersionState } from "./credential.states.js";

/**
 * One version's sealed material. A retired version keeps its row and loses `wrappedKey`. Workers find, across tenants,
 * the versions that a former master key wraps.
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

  /** Why the version was made: the reason for its rotation; null for the first version. */
  @Property({ type: "text", nullable: true })
  reason: RotationReason | null;

  /** How long the version before it stays in use once this one is Current; null for the first version. */
  @Property({ type: "integer", nullable: true })
  graceSeconds: number | null;

  /** When the vendor stops accepting this version; null when it is not known. */
  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;

  /** True for a secret that the platform has generated and that nobody has seen yet. */
  @Property({ type: "boolean", default: false })
  unseen: boolean;

  @Property({ type: wireId("run"), nullable: true })
  verificationRunId: string | null;

  @Property({ type: "timestamptz", nullable: true })
  verifiedAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  promotedAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  retiredAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  failedAt: Date | null;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
