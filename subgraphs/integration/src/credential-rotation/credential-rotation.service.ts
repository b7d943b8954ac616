import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { TokenStore } from "../connections/vendor-calls/token-store.js";
import type { CredentialType } from "../credentials/credentials/credential.type.js";
import { credentialView } from "../credentials/credentials/credential.view.js";
import { type CredentialVersions, moveTo } from "../credentials/credentials/credential-versions.js";
import type { SecretDigest } from "../credentials/credentials/secret-digest.js";
import type { SecretMaterial } from "../credentials/credentials/secret-store.js";
import type { RunService } from "../runs/run.service.js";
import type { RotateCredentialInput } from "./credential-rotation.input.js";
import type { CredentialRotationType } from "./credential-rotation.type.js";
import { endRetirements, retirement } from "./retire-credential-version.js";
import {
  type LockedCredential,
  type RotationStart,
  requireNotRotating,
  type StartedRotation,
} from "./rotation-start.js";
import { lockVerification } from "./verification-run-statement.js";

interface RotationServices {
  readonly database: Database;
  readonly versions: CredentialVersions;
  readonly digest: SecretDigest;
  readonly runs: RunService;
  readonly start: RotationStart;
  readonly tokens: TokenStore;
}

/** Rotates credentials, and changes what a rotation has done. */
export class CredentialRotationService {
  readonly #services: RotationServices;

  constructor(services: RotationServices) {
    this.#services = services;
  }

  /**
   * Starts a rotation, or gives one that waits its secret. Only this response contains a generated secret: the stored
   * result for an Idempotency-Key does not, so a replay has `signingSecret: null`. `field` is the request's root field.
   */
  async rotate(
    context: RequestContext,
    input: RotateCredentialInput,
    field = "rotateCredential",
  ): Promise<CredentialRotationType> {
    requireSameTenant(context, input.tenantId);
    const { database, versions, digest, start } = this.#services;
    const { credentialId, secret = null, graceSeconds = null, expiresAt = null } = input;
    const reason = input.reason ?? "ManualRotation";
    const requestWith = (secretOrDigest: string | null) => ({
      credentialId,
      reason,
      graceSeconds,
      expiresAt,
      secret: secretOrDigest,
    });
    let startedRotation: StartedRotation | undefined;
    const answer = await idempotentMutation<CredentialRotationType>(database, context, {
      field,
      arguments: requestWith(secret && digest.of(secret)),
      formerArguments: secret ? digest.formerly(secret).map(requestWith) : [],
      commit: async (transaction) => {
        const credential = await this.#lock(transaction, credentialId);
        const schedule = { graceSeconds, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
        const waits = secret !== null && credential.materialDueAt !== null;
        if (!waits) requireNotRotating(credential);
        if (secret) await requireOtherSecret(transaction, { versions, digest, credential, secret });
        startedRotation = waits
          ? await start.giveIn(transaction, credential, {
              ...schedule,
              secret,
              reason: input.reason == null ? null : reason,
            })
          : await start.startIn(transaction, credential, { ...schedule, secret, reason, shown: true });
        return startedRotation.rotation;
      },
    });
    // A transaction that runs again may return another request's result, which has no secret.
    if (startedRotation?.rotation === answer) answer.signingSecret = startedRotation.generated;
    return answer;
  }

  /** Locks an open rotation's run and the credential. */
  async #lock(transaction: Transaction, credentialId: string): Promise<LockedCredential> {
    await transaction.defer(lockVerification, [transaction.tenant.uuid, decodeId("crd", credentialId)]);
    return this.#services.versions.lock(transaction, credentialId);
  }

  /** Ends the state RotationFailed. The current version is in use as before. */
  acknowledge(context: RequestContext, credentialId: string): Promise<CredentialType> {
    const { database, versions } = this.#services;
    return idempotentMutation(database, context, {
      field: "acknowledgeCredentialRotation",
      arguments: { credentialId },
      commit: async (transaction) => {
        const credential = await versions.lock(transaction, credentialId);
        const { status } = credential;
        if (status !== "RotationFailed")
          throw new DomainError("INVALID_STATE", {
            detail: `The credential is ${status}. Only a failed rotation can be acknowledged.`,
            currentState: status,
            allowed: ["RotationFailed"],
          });
        moveTo(credential, "Active");
        versions.plan(credential);
        return credentialView(credential);
      },
    });
  }

  /** Makes the previous version the current one again, within its grace period. */
  rollBack(context: RequestContext, credentialId: string): Promise<CredentialType> {
    const { database, versions, runs } = this.#services;
    return idempotentMutation(database, context, {
      field: "rollbackCredential",
      arguments: { credentialId },
      commit: async (transaction) => {
        const credential = await versions.lock(transaction, credentialId);
        requireNotRotating(credential);
        const { name, status, currentVersion } = credential;
        const previous = await versions.previous(transaction, credential);
        const graceEndsAt = previous?.graceEndsAt ?? null;
        if (!previous || graceEndsAt === null || (status !== "Active" && status !== "RotationFailed"))
          throw new DomainError("INVALID_STATE", {
            detail: `The credential "${name}" is ${status} and has no previous version within its grace period, so there is nothing to go back to. Rotate it with the former secret instead.`,
            currentState: status,
            allowed: ["Active", "RotationFailed"],
          });
        const { version } = previous;
        await versions.rollBack(transaction, credential, previous);
        await endRetirements(transaction, runs, credentialId);
        await runs.startIn(transaction, retirement(credentialId, currentVersion, graceEndsAt));
        transaction.record({
          type: "CredentialRolledBack",
          subject: `credentials/${credentialId}`,
          data: { credentialId, name, version, previousVersion: currentVersion, graceEndsAt },
        });
        return credentialView(credential);
      },
    });
  }

  /**
   * Shows the secret that a scheduled rotation has generated. It is shown once, so a repeated request gets null, as
   * after `rotateCredential`.
   */
  async reveal(context: RequestContext, credentialId: string): Promise<CredentialRotationType> {
    const { database, versions, start } = this.#services;
    let revealedSecret: { rotation: CredentialRotationType; secret: string } | undefined;
    const answer = await idempotentMutation<CredentialRotationType>(database, context, {
      field: "revealSigningSecret",
      arguments: { credentialId },
      commit: async (transaction) => {
        const credential = await versions.lock(transaction, credentialId);
        revealedSecret = await start.reveal(transaction, credential);
        return revealedSecret.rotation;
      },
    });
    if (revealedSecret?.rotation === answer) answer.signingSecret = revealedSecret.secret;
    return answer;
  }

  revoke(context: RequestContext, credentialId: string, reason: string | null): Promise<CredentialType> {
    const { database, versions, runs, tokens } = this.#services;
    return idempotentMutation(database, context, {
      field: "revokeCredential",
      arguments: { credentialId, reason },
      commit: async (transaction) => {
        const credential = await this.#lock(transaction, credentialId);
        const { status, materialDueAt, rotationRunId } = credential;
        const verification = status === "Rotating" || materialDueAt !== null ? rotationRunId : null;
        await versions.revoke(transaction, credential, reason);
        await tokens.forgetOf(transaction, credentialId);
        // The verification run then finds that the credential is not Rotating, and does not change it.
        await endRetirements(transaction, runs, credentialId);
        if (verification !== null) await runs.cancelIn(transaction, verification, "The credential was revoked.");
        return credentialView(credential);
      },
    });
  }
}

interface Rotated {
  readonly versions: CredentialVersions;
  readonly digest: SecretDigest;
  readonly credential: LockedCredential;
  readonly secret: SecretMaterial;
}

/** Throws SECRET_UNCHANGED when a rotation would replace the current secret by itself. */
async function requireOtherSecret(
  transaction: Transaction,
  { versions, digest, credential, secret }: Rotated,
): Promise<void> {
  const current = await versions.find(transaction, credential, credential.currentVersion);
  if (current?.stage !== "Current" || !digest.areEqual(secret, await versions.open(current))) return;
  const detail = "The secret is the current one of the credential. Rotate to another secret.";
  throw new DomainError("SECRET_UNCHANGED", {
    detail,
    errors: [{ pointer: "/input/secret", code: "CONFLICT", detail }],
  });
}
