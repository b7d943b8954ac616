import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import {
  type CredentialKind,
  defaultGraceSeconds,
  type RotationReason,
  requireMove,
} from "../credentials/credential.states.js";
import { credentialVersionRef } from "../credentials/credential-name.js";
import type { CredentialVersions } from "../credentials/credential-versions.js";
import { checkMaterial, materialExpiry } from "../credentials/secret-material.js";
import type { SecretMaterial } from "../credentials/secret-store.js";
import type { RunService } from "../runs/run.service.js";
import { isEd25519Secret } from "../standard-webhooks/ed25519-key.js";
import { generateSecretOfType } from "../standard-webhooks/signing-secret.js";
import type { CredentialRotationType } from "./credential-rotation.type.js";

/** A credential that `CredentialVersions.lock` has returned. */
export type LockedCredential = Awaited<ReturnType<CredentialVersions["lock"]>>;

/** A rotation as a caller or the schedule wants it. */
export interface WantedRotation {
  readonly reason: RotationReason;
  /** Null: the platform generates the secret. */
  readonly secret: SecretMaterial | null;
  /** Null: the grace period of the credential. */
  readonly graceSeconds: number | null;
  readonly expiresAt: Date | null;
  /** Whether the caller is shown a generated secret in the response. */
  readonly shown: boolean;
}

export interface StartedRotation {
  readonly rotation: CredentialRotationType;
  /** The generated secret; null for a secret that was given, and for an ed25519 key, which nobody else needs. */
  readonly generated: string | null;
}

/** Starts rotations: a Pending version, the run that verifies it, and the event. */
export class RotationStart {
  readonly #versions: CredentialVersions;
  readonly #runs: RunService;

  constructor(versions: CredentialVersions, runs: RunService) {
    this.#versions = versions;
    this.#runs = runs;
  }

  async startIn(
    transaction: Transaction,
    credential: LockedCredential,
    { reason, secret, graceSeconds, expiresAt, shown }: WantedRotation,
  ): Promise<StartedRotation> {
    requireNotRotating(credential);
    requireMove(credential, "Rotating");
    const { credentialId, name, kind } = credential;
    const made = secret === null ? await this.#generatedSecret(transaction, credential) : null;
    const generated = made === null || isEd25519Secret(made) ? null : made;
    const material = secret ?? { signingSecret: made };
    checkMaterial(kind, material);
    const version = await this.#versions.nextVersion(transaction, credential);
    const run = await this.#runs.startIn(transaction, {
      operation: "VerifyCredential",
      credentialId,
      payload: { version },
    });
    const verificationRunId = run.runId;
    await this.#versions.addPending(transaction, credential, {
      ...{ version, reason, verificationRunId },
      secret: material,
      graceSeconds:
        reason === "CompromiseSuspected" ? 0 : (graceSeconds ?? credential.graceSeconds ?? defaultGraceSeconds),
      expiresAt: expiresAt ?? materialExpiry(kind, material),
      unseen: generated !== null && !shown,
    });
    const newVersionRef = credentialVersionRef(name, version);
    transaction.record({
      type: "CredentialRotationStarted",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, status: "Rotating", reason, version, newVersionRef, verificationRunId },
    });
    const rotation = {
      credentialId,
      status: "Rotating" as const,
      newVersionRef,
      verificationRunId,
      signingSecret: null,
    };
    return { rotation, generated };
  }

  /** A new secret of the same kind as the current one, symmetric or ed25519. */
  async #generatedSecret(transaction: Transaction, credential: LockedCredential): Promise<string> {
    requireGeneration(credential.kind);
    const current = await this.#versions.find(transaction, credential, credential.currentVersion);
    // A secret that cannot be opened must be replaceable.
    const { signingSecret } = current ? await this.#versions.open(current).catch(() => ({ signingSecret: "" })) : {};
    const isAsymmetric = typeof signingSecret === "string" && isEd25519Secret(signingSecret);
    return generateSecretOfType(isAsymmetric ? "ed25519" : "symmetric");
  }

  /** The generated secret that nobody has seen yet, of the newest version that has one. */
  async reveal(
    transaction: Transaction,
    credential: LockedCredential,
  ): Promise<{ rotation: CredentialRotationType; secret: string }> {
    const { credentialId, name, status, rotationRunId } = credential;
    const version = await this.#versions.unseen(transaction, credential);
    const { signingSecret } = version ? await this.#versions.open(version) : {};
    if (!version || typeof signingSecret !== "string")
      throw new DomainError("INVALID_STATE", {
        detail: `The credential "${name}" has no generated secret that was not shown yet. Rotate it to get a new one.`,
        currentState: status,
      });
    version.unseen = false;
    const newVersionRef = credentialVersionRef(name, version.version);
    const verificationRunId = version.verificationRunId ?? rotationRunId ?? newId("run");
    return {
      rotation: { credentialId, status, newVersionRef, verificationRunId, signingSecret: null },
      secret: signingSecret,
    };
  }
}

/** Whether the platform can generate the secret of a credential. */
export const canGenerate = (kind: CredentialKind): boolean => kind === "WebhookSigning";

function requireGeneration(kind: CredentialKind): void {
  if (canGenerate(kind)) return;
  const detail =
    kind === "OAuth2Client"
      ? "The platform cannot create a client secret at this vendor. Create it there, and give it as secret."
      : `The platform cannot generate a secret of the kind ${kind}. Create it at the vendor, and give it as secret.`;
  throw new DomainError("PARAMETERS_INVALID", {
    detail,
    errors: [{ pointer: "/input/secret", code: "REQUIRED", detail }],
  });
}

/** Throws CREDENTIAL_ROTATION_IN_PROGRESS with the run that verifies the new version. */
export function requireNotRotating({ status, name, rotationRunId }: LockedCredential): void {
  if (status !== "Rotating") return;
  throw new DomainError("CREDENTIAL_ROTATION_IN_PROGRESS", {
    detail: `A rotation of the credential "${name}" is still running. Wait for the run ${rotationRunId}, or cancel it.`,
    verificationRunId: rotationRunId,
  });
}
