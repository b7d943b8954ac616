import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Credential } from "./credential.entity.js";
import {
  type CredentialKind,
  type CredentialState,
  type CredentialVersionState,
  defaultGraceSeconds,
} from "./credential.states.js";
import type { CredentialType } from "./credential.type.js";
import { credentialRef, credentialVersionRef } from "./credential-name.js";
import type { CredentialVersionType } from "./credential-version.type.js";

export interface CredentialRow {
  credential_id: string;
  name: string;
  kind: CredentialKind;
  current_version: number;
  status: CredentialState;
  expires_at: Date | null;
  grace_seconds: number | null;
  rotation_interval_days: number | null;
  next_rotation_at: Date | null;
  rotation_run_id: string | null;
  material_due_at: Date | null;
  created_at: Date;
}

export const credentialColumns = `credential_id, name, kind, current_version, status, expires_at, grace_seconds,
     rotation_interval_days, next_rotation_at, rotation_run_id, material_due_at, created_at`;

export function credentialRowView(row: CredentialRow): CredentialType {
  return credentialView({
    credentialId: encodeId("crd", row.credential_id),
    name: row.name,
    kind: row.kind,
    currentVersion: row.current_version,
    status: row.status,
    expiresAt: row.expires_at,
    graceSeconds: row.grace_seconds,
    rotationIntervalDays: row.rotation_interval_days,
    nextRotationAt: row.next_rotation_at,
    rotationRunId: row.rotation_run_id === null ? null : encodeId("run", row.rotation_run_id),
    materialDueAt: row.material_due_at,
    createdAt: row.created_at,
  });
}

type Viewed = Omit<Credential, "tenantId" | "expiryWarningDays" | "nextChangeAt" | "changeSentAt">;

export function credentialView(credential: Viewed): CredentialType {
  const { credentialId, name, kind, currentVersion, status, graceSeconds, rotationIntervalDays } = credential;
  return {
    credentialId,
    name,
    credentialRef: credentialRef(name),
    currentVersionRef: credentialVersionRef(name, currentVersion),
    kind,
    status,
    expiresAt: credential.expiresAt?.toISOString() ?? null,
    graceSeconds: graceSeconds ?? defaultGraceSeconds,
    rotationIntervalDays,
    nextRotationAt: credential.nextRotationAt?.toISOString() ?? null,
    verificationRunId: credential.rotationRunId,
    materialDueAt: credential.materialDueAt?.toISOString() ?? null,
    createdAt: credential.createdAt.toISOString(),
  };
}

export interface VersionRow {
  version: number;
  name: string;
  stage: CredentialVersionState;
  reason: string | null;
  verification_run_id: string | null;
  created_at: Date;
  verified_at: Date | null;
  promoted_at: Date | null;
  grace_ends_at: Date | null;
  retired_at: Date | null;
  failed_at: Date | null;
}

export function versionRowView(row: VersionRow): CredentialVersionType {
  return {
    version: row.version,
    versionRef: credentialVersionRef(row.name, row.version),
    stage: row.stage,
    reason: row.reason,
    verificationRunId: row.verification_run_id === null ? null : encodeId("run", row.verification_run_id),
    createdAt: row.created_at.toISOString(),
    verifiedAt: row.verified_at?.toISOString() ?? null,
    promotedAt: row.promoted_at?.toISOString() ?? null,
    graceEndsAt: row.grace_ends_at?.toISOString() ?? null,
    retiredAt: row.retired_at?.toISOString() ?? null,
    failedAt: row.failed_at?.toISOString() ?? null,
  };
}
