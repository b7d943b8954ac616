import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Credential } from "./credential.entity.js";
import { defaultGraceSeconds } from "./credential.states.js";
import type { CredentialType } from "./credential.type.js";
import { credentialRef, credentialVersionRef } from "./credential-name.js";
import { CredentialVersion } from "./credential-version.entity.js";
import type { CredentialVersionType } from "./credential-version.type.js";

export type CredentialRow = RowOf<Credential>;
export type VersionRow = RowOf<CredentialVersion>;
export const credentialColumns = columnsOf(Credential);
export const readCredential = rowReader(Credential);
export const readVersion = rowReader(CredentialVersion);

type CredentialRecord = Omit<RecordOf<Credential>, "tenantId" | "expiryWarningDays" | "nextChangeAt" | "changeSentAt">;

export function credentialView(credential: CredentialRecord): CredentialType {
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

/** The version's members that its view shows. No secret is among them. */
export const shownVersionMembers = [
  "version",
  "stage",
  "reason",
  "verificationRunId",
  "createdAt",
  "verifiedAt",
  "promotedAt",
  "graceEndsAt",
  "retiredAt",
  "failedAt",
] as const satisfies (keyof CredentialVersion)[];
export type ShownVersionMember = (typeof shownVersionMembers)[number];

export function versionView(
  version: RecordOf<CredentialVersion, ShownVersionMember>,
  credentialName: string,
): CredentialVersionType {
  return {
    version: version.version,
    versionRef: credentialVersionRef(credentialName, version.version),
    stage: version.stage,
    reason: version.reason,
    verificationRunId: version.verificationRunId,
    createdAt: version.createdAt.toISOString(),
    verifiedAt: version.verifiedAt?.toISOString() ?? null,
    promotedAt: version.promotedAt?.toISOString() ?? null,
    graceEndsAt: version.graceEndsAt?.toISOString() ?? null,
    retiredAt: version.retiredAt?.toISOString() ?? null,
    failedAt: version.failedAt?.toISOString() ?? null,
  };
}
