import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialKind, RotationReason } from "@factory/schema/vocabularies/credentials";
import { defaultGraceSeconds, requireMove } from "../credentials/credentials/credential.states.js";
import { credentialVersionRef } from "../credentials/credentials/credential-name.js";
import type { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import { checkMaterial, materialExpiry } from "../credentials/credentials/secret-material.js";
import type { SecretMaterial } from "../credentials/credentials/secret-store.js";
import { isEd25519Secret } from "../ground/standard-webhooks/ed25519-key.js";
import { generateSecretOfType } from "../ground/standard-webhooks/signing-secret.js";
import type { RunService } from "../runs/run.service.js";
import type { CredentialRotationType } from "./credential-rotation.type.js";

/** How long a new version waits for its secret. */
const materialWaitMs = 7 * 24 * 60 * 60 * 1000;

/** Where a person or a program gives a waiting version its secret. */
const materialEndpoint = "POST /integrations/credentials/rotate";

/** A credential that `CredentialVersions.lock` has returned. */
export type LockedCredential = Awaited<ReturnType<CredentialVersions["lock"]>>;

/** A rotation as a caller or the schedule wants it. */
interface WantedRotation {
  readonly reason: RotationReason;
  /** Null: the platform generates the secret, or the new version waits for it. */
  readonly secret: SecretMaterial | null;
  /** Null: the credential's grace period. */
  readonly graceSeconds: number | null;
  readonly expiresAt: Date | null;
  /** Whether the caller is shown a generated secret in the response. */
  readonly shown: boolean;
}

/** The secret for a waiting version. Null members keep those that the rotation was started with. */
type GivenSecret = Pick<WantedRotation, "graceSeconds" | "expiresAt"> & {
  readonly reason: RotationReason | null;
  readonly secret: SecretMaterial;
};

export interface StartedRotation {
  readonly rotation: CredentialRotationType;
  /** The generated secret; null for a secret that was given, and for an ed25519 key, which nobody else needs. */
  readonly generated: string | null;
}

/**
 * Starts rotations: a new version, the run that verifies it, and the events. The version and the run wait where neither
 * the caller nor the platform has the new secret.
 */
export class RotationStart {
  readonly #versions: CredentialVersions;
  readonly #runs: RunService;
  readonly #clock: () => Date;

  constructor(versions: CredentialVersions, runs: RunService, clock: () => Date) {
    this.#versions = versions;
    this.#runs = runs;
    this.#clock = clock;
  }

  async startIn(
    transaction: Transaction,
    credential: LockedCredential,
    { reason, secret, graceSeconds, expiresAt, shown }: WantedRotation,
  ): Promise<StartedRotation> {
    requireNotRotating(credential);
    requireMove(credential, "Rotating");
    const { credentialId, name, kind } = credential;
    const newSecret =
      secret === null && canGenerate(kind) ? await this.#generatedSecret(transaction, credential) : null;
    const symmetricSecret = newSecret === null || isEd25519Secret(newSecret) ? null : newSecret;
    const material = secret ?? (newSecret === null ? null : { signingSecret: newSecret });
    if (material) checkMaterial(kind, material);
    const version = await this.#versions.nextVersion(transaction, credential);
    const materialDueAt = material ? null : new Date(this.#clock().getTime() + materialWaitMs);
    const run = await this.#runs.startIn(transaction, {
      ...{ operation: "VerifyCredential", credentialId, payload: { version } },
      ...(materialDueAt && heldBack(materialDueAt)),
    });
    const verificationRunId = run.runId;
    await this.#versions.begin(transaction, credential, {
      ...{ version, reason, verificationRunId, secret: material, materialDueAt },
      graceSeconds: graceOf(credential, reason, graceSeconds),
      expiresAt: expiresAt ?? (material && materialExpiry(kind, material)),
      unseen: symmetricSecret !== null && !shown,
    });
    const newVersionRef = credentialVersionRef(name, version);
    const subject = `credentials/${credentialId}`;
    const data = { credentialId, name, reason, version, newVersionRef, verificationRunId };
    transaction.record({ type: "CredentialRotationStarted", subject, data: { ...data, status: "Rotating" } });
    if (materialDueAt)
      transaction.record({
        type: "CredentialMaterialAwaited",
        subject,
        data: { ...data, kind, giveAt: materialEndpoint, materialDueAt },
      });
    return { rotation: rotationView(credential, { version, verificationRunId }), generated: symmetricSecret };
  }

  /** Gives a rotation's waiting version its secret, and lets the run begin that verifies it. */
  async giveIn(
    transaction: Transaction,
    credential: LockedCredential,
    { reason, secret, graceSeconds, expiresAt }: GivenSecret,
  ): Promise<StartedRotation> {
    checkMaterial(credential.kind, secret);
    const waiting = await this.#versions.waiting(transaction, credential);
    const { version, verificationRunId } = waiting;
    if (verificationRunId === null) throw new Error(`No run verifies version ${version} of ${credential.credentialId}`);
    const newReason = reason ?? waiting.reason ?? "ManualRotation";
    const newMembers = {
      ...{ secret, reason: newReason },
      graceSeconds: graceOf(credential, newReason, graceSeconds ?? waiting.graceSeconds),
      expiresAt: expiresAt ?? this.#future(waiting.expiresAt) ?? materialExpiry(credential.kind, secret),
    };
    await this.#versions.give(transaction, credential, { waiting, given: newMembers });
    await this.#runs.releaseIn(transaction, verificationRunId);
    // Its flush lets the failpoint stand between the statements and the commit.
    await transaction.em.flush();
    failpoint("credentialRotation.giving");
    return { rotation: rotationView(credential, { version, verificationRunId }), generated: null };
  }

  /** A time in the first request may have passed while the version waited. */
  #future(time: Date | null): Date | null {
    return time !== null && time > this.#clock() ? time : null;
  }

  /** A new secret of the same kind as the current one, symmetric or ed25519. */
  async #generatedSecret(transaction: Transaction, credential: LockedCredential): Promise<string> {
    const current = await this.#versions.find(transaction, credential, credential.currentVersion);
    // A secret that cannot be opened must be replaceable.
    const { signingSecret } = current ? await this.#versions.open(current).catch(() => ({ signingSecret: "" })) : {};
    const isAsymmetric = typeof signingSecret === "string" && isEd25519Secret(signingSecret);
    return generateSecretOfType(isAsymmetric ? "ed25519" : "symmetric");
  }

  /** The generated secret that nobody has seen yet, from the newest version that has one. */
  async reveal(
    transaction: Transaction,
    credential: LockedCredential,
  ): Promise<{ rotation: CredentialRotationType; secret: string }> {
    const { name, status, rotationRunId } = credential;
    const version = await this.#versions.unseen(transaction, credential);
    const { signingSecret } = version ? await this.#versions.open(version) : {};
    if (!version || typeof signingSecret !== "string")
      throw new DomainError("INVALID_STATE", {
        detail: `The credential "${name}" has no generated secret that was not shown yet. Rotate it to get a new one.`,
        currentState: status,
      });
    version.unseen = false;
    const verificationRunId = version.verificationRunId ?? rotationRunId ?? newId("run");
    const rotation = rotationView(credential, { version: version.version, verificationRunId, status });
    return { rotation, secret: signingSecret };
  }
}

function rotationView(
  { credentialId, name, materialDueAt }: LockedCredential,
  of: { version: number; verificationRunId: string; status?: CredentialRotationType["status"] },
): CredentialRotationType {
  const { version, verificationRunId, status = "Rotating" } = of;
  return {
    credentialId,
    status,
    newVersionRef: credentialVersionRef(name, version),
    verificationRunId,
    signingSecret: null,
    materialDueAt: materialDueAt?.toISOString() ?? null,
  };
}

const graceOf = (credential: LockedCredential, reason: RotationReason, seconds: number | null): number =>
  reason === "CompromiseSuspected" ? 0 : (seconds ?? credential.graceSeconds ?? defaultGraceSeconds);

/** A run that waits for its version's secret. */
const heldBack = (until: Date) =>
  ({
    isHeldBack: true,
    startAfter: until,
    progress: { awaits: "CredentialMaterial", giveAt: materialEndpoint, until: until.toISOString() },
  }) as const;

/** Whether the platform can generate the credential's secret. */
export const canGenerate = (kind: CredentialKind): boolean => kind === "WebhookSigning";

/** Throws CREDENTIAL_ROTATION_IN_PROGRESS with the run that verifies the new version. */
export function requireNotRotating({ status, name, rotationRunId, materialDueAt }: LockedCredential): void {
  if (status !== "Rotating" && materialDueAt === null) return;
  const detail = materialDueAt
    ? `The new version of the credential "${name}" waits for its secret until ${materialDueAt.toISOString()}. Create the secret at the vendor and give it as secret, or cancel the run ${rotationRunId}.`
    : `A rotation of the credential "${name}" is still running. Wait for the run ${rotationRunId}, or cancel it.`;
  throw new DomainError("CREDENTIAL_ROTATION_IN_PROGRESS", { detail, verificationRunId: rotationRunId });
}
