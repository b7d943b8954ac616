import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { RotationReason } from "@factory/schema/vocabularies/credentials";
import { LockMode } from "@mikro-orm/postgresql";
import { Credential } from "./credential.entity.js";
import { unknownCredential } from "./credential.service.js";
import { type CredentialState, requireMove } from "./credential.states.js";
import { announceChange } from "./credential-change.js";
import { nextChange, nextRotation } from "./credential-schedule.js";
import { CredentialVersion } from "./credential-version.entity.js";
import type { SecretMaterial, SecretOwner, SecretStore } from "./secret-store.js";

/** How many Previous versions a credential has at most. Each of them costs a signature in a webhook. */
const maxPrevious = 4;
/** How many versions are kept, with those that have ended. */
const maxVersions = 100;

/** The version that a rotation makes. */
interface NewVersion {
  readonly version: number;
  /** Null: the version waits for it until `materialDueAt`. */
  readonly secret: SecretMaterial | null;
  readonly materialDueAt: Date | null;
  readonly reason: RotationReason;
  readonly graceSeconds: number;
  readonly expiresAt: Date | null;
  readonly verificationRunId: string;
  /** Whether the platform has generated the secret and nobody has seen it yet. */
  readonly unseen: boolean;
}

/** The secret for a version that has waited for it. */
interface GivenMaterial extends Pick<NewVersion, "reason" | "graceSeconds" | "expiresAt"> {
  readonly secret: SecretMaterial;
}

/**
 * Credentials' versions and their stages. Each function runs in its caller's transaction, under the lock on the
 * credential's row, and announces the change to the caches in all processes.
 */
export class CredentialVersions {
  readonly #store: SecretStore;
  readonly #clock: () => Date;

  constructor(store: SecretStore, clock: () => Date) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Locks the credential of the transaction's tenant. Throws CREDENTIAL_NOT_FOUND. */
  async lock({ em, tenant }: Transaction, credentialId: string): Promise<Credential> {
    if (decodeId("crd", credentialId) === undefined) throw unknownCredential();
    const row = { tenantId: tenant.tenantId, credentialId };
    const credential = await em.findOne(Credential, row, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!credential) throw unknownCredential();
    return credential;
  }

  /** The next version's number. */
  async nextVersion({ em }: Transaction, { tenantId, credentialId }: Credential): Promise<number> {
    const [newest] = await em.find(
      CredentialVersion,
      { tenantId, credentialId },
      { orderBy: { version: "desc" }, limit: 1 },
    );
    return (newest?.version ?? 0) + 1;
  }

  find(
    { em }: Transaction,
    { tenantId, credentialId }: Credential,
    version: number,
  ): Promise<CredentialVersion | null> {
    return em.findOne(CredentialVersion, { tenantId, credentialId, version });
  }

  /**
   * Begins a rotation: the new version is Pending and the credential Rotating. Without a secret the version is
   * AwaitingMaterial, and an Expired credential stays Expired, so that nothing uses it again.
   */
  async begin(transaction: Transaction, credential: Credential, request: NewVersion): Promise<void> {
    const { secret, materialDueAt, ...members } = request;
    const { em } = transaction;
    const { tenantId, credentialId } = credential;
    if (secret !== null || credential.status !== "Expired") moveTo(credential, "Rotating");
    em.assign(credential, { rotationRunId: request.verificationRunId, materialDueAt });
    this.plan(credential);
    const sealedSecret =
      secret && (await this.#store.seal({ tenantId, credentialId, version: request.version }, secret));
    const pending = em.create(CredentialVersion, {
      ...{ tenantId, credentialId, ...members },
      ...(sealedSecret
        ? { stage: "Pending", ...sealedSecret }
        : { stage: "AwaitingMaterial", keyId: "", wrappedKey: null, ciphertext: Buffer.alloc(0) }),
      ...{ graceEndsAt: null, verifiedAt: null, promotedAt: null, retiredAt: null, failedAt: null },
      createdAt: this.#clock(),
    });
    em.persist(pending);
    await em.nativeDelete(CredentialVersion, {
      ...{ tenantId, credentialId, version: { $lte: request.version - maxVersions } },
      stage: { $in: ["Retired", "Failed"] },
    });
    announceChange(transaction, credentialId);
  }

  /** Gives the waiting version its secret: it is Pending, and the credential Rotating. */
  async give(
    transaction: Transaction,
    credential: Credential,
    { waiting, given }: { waiting: CredentialVersion; given: GivenMaterial },
  ): Promise<void> {
    const { secret, ...members } = given;
    if (credential.status === "Expired") moveTo(credential, "Rotating");
    credential.materialDueAt = null;
    this.plan(credential);
    const sealedSecret = await this.#store.seal(ownerOf(waiting), secret);
    Object.assign(waiting, { stage: "Pending", ...sealedSecret, ...members });
    announceChange(transaction, credential.credentialId);
  }

  /**
   * Makes the Pending version the Current one, if the credential still has the version that it replaces. The former one
   * is Previous until its grace period ends; without a grace period it and all other Previous ones are retired at once.
   * More than four Previous ones are not kept. Returns the former version, or undefined when nothing was changed.
   */
  async promote(
    transaction: Transaction,
    credential: Credential,
    pending: CredentialVersion,
  ): Promise<CredentialVersion | undefined> {
    const { em } = transaction;
    const { tenantId, credentialId, currentVersion } = credential;
    const replacedVersion = await this.find(transaction, credential, currentVersion);
    if (!replacedVersion) throw new Error(`The credential ${credentialId} has no current version`);
    const now = this.#clock();
    const updatedRows = await em.nativeUpdate(
      Credential,
      { tenantId, credentialId, currentVersion, status: "Rotating", rotationRunId: pending.verificationRunId },
      { currentVersion: pending.version },
    );
    if (updatedRows === 0) return undefined;
    em.assign(pending, { stage: "Current", verifiedAt: now, promotedAt: now });
    em.assign(credential, {
      currentVersion: pending.version,
      status: "Active",
      expiresAt: pending.expiresAt,
      expiryWarningDays: null,
      nextRotationAt: nextRotation(credential.rotationIntervalDays, now),
    });
    this.plan(credential);
    const graceMs = (pending.graceSeconds ?? 0) * 1000;
    em.assign(replacedVersion, { stage: "Previous", graceEndsAt: new Date(now.getTime() + graceMs) });
    const previous = await this.#inStage(transaction, credential, "Previous");
    const keptCount = graceMs === 0 ? 0 : maxPrevious;
    const former = [...new Set([...previous, replacedVersion])];
    for (const version of former.slice(0, Math.max(0, former.length - keptCount)))
      await this.retire(transaction, credential, version);
    announceChange(transaction, credentialId);
    return replacedVersion;
  }

  /**
   * Ends a rotation without success: the new version is Failed and the Current one stays. One that has waited for its
   * material in vain leaves the credential Active, or Expired.
   */
  async fail(transaction: Transaction, credential: Credential, pending: CredentialVersion): Promise<void> {
    if (pending.stage !== "AwaitingMaterial") moveTo(credential, "RotationFailed");
    else if (credential.status === "Rotating") moveTo(credential, "Active");
    credential.materialDueAt = null;
    this.plan(credential);
    await this.#end(pending, "Failed");
    announceChange(transaction, credential.credentialId);
  }

  /** The newest Previous version within its grace period. */
  async previous(transaction: Transaction, credential: Credential): Promise<CredentialVersion | undefined> {
    const previous = await this.#inStage(transaction, credential, "Previous");
    const now = this.#clock();
    return previous.findLast(({ graceEndsAt }) => graceEndsAt !== null && graceEndsAt > now);
  }

  /** The newest version with a generated secret that nobody has seen. */
  async unseen({ em }: Transaction, { tenantId, credentialId }: Credential): Promise<CredentialVersion | undefined> {
    const condition = {
      tenantId,
      credentialId,
      unseen: true,
      stage: { $in: ["Pending" as const, "Current" as const] },
    };
    const [version] = await em.find(CredentialVersion, condition, { orderBy: { version: "desc" }, limit: 1 });
    return version;
  }

  /** The version that waits for its material, for a credential with `materialDueAt`. */
  async waiting(transaction: Transaction, credential: Credential): Promise<CredentialVersion> {
    const [version] = await this.#inStage(transaction, credential, "AwaitingMaterial");
    if (!version) throw new Error(`The credential ${credential.credentialId} has no version that waits`);
    return version;
  }

  /** Exchanges the Current version and a Previous one, which ends its grace period in the other one's place. */
  async rollBack(transaction: Transaction, credential: Credential, previous: CredentialVersion): Promise<void> {
    const { em } = transaction;
    const current = await this.find(transaction, credential, credential.currentVersion);
    if (!current) throw new Error(`The credential ${credential.credentialId} has no current version`);
    em.assign(current, { stage: "Previous", graceEndsAt: previous.graceEndsAt });
    em.assign(previous, { stage: "Current", graceEndsAt: null, promotedAt: this.#clock() });
    em.assign(credential, {
      currentVersion: previous.version,
      expiresAt: previous.expiresAt,
      expiryWarningDays: null,
    });
    this.plan(credential);
    announceChange(transaction, credential.credentialId);
  }

  /** Retires a version that is no longer used, and destroys its secret. */
  async retire(transaction: Transaction, credential: Credential, version: CredentialVersion): Promise<void> {
    const { credentialId, name } = credential;
    await this.#end(version, "Retired");
    transaction.record({
      type: "CredentialVersionRetired",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, version: version.version },
    });
    announceChange(transaction, credentialId);
  }

  /** Revokes the credential for ever and destroys all its secrets. */
  async revoke(transaction: Transaction, credential: Credential, reason: string | null): Promise<void> {
    const { credentialId, name, status: previousStatus } = credential;
    moveTo(credential, "Revoked");
    transaction.em.assign(credential, {
      nextRotationAt: null,
      materialDueAt: null,
      nextChangeAt: null,
      changeSentAt: null,
    });
    const stages = ["AwaitingMaterial", "Pending", "Current", "Previous"] as const;
    for (const version of await this.#inStage(transaction, credential, ...stages))
      if (version.stage === "Current" || version.stage === "Previous")
        await this.retire(transaction, credential, version);
      else await this.#end(version, "Failed");
    transaction.record({
      type: "CredentialRevoked",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, status: "Revoked", previousStatus, reason },
    });
    announceChange(transaction, credentialId);
  }

  /** Stores until when the vendor accepts the current version. The warnings begin anew. */
  async expire(transaction: Transaction, credential: Credential, expiresAt: Date | null): Promise<void> {
    const current = await this.find(transaction, credential, credential.currentVersion);
    if (current) current.expiresAt = expiresAt;
    Object.assign(credential, { expiresAt, expiryWarningDays: null });
  }

  /** Stores when time changes the credential next. */
  plan(credential: Credential): void {
    Object.assign(credential, { nextChangeAt: nextChange(credential), changeSentAt: null });
  }

  /** The secret in a version that the caller has locked. Throws INVALID_STATE when it was destroyed. */
  open(version: CredentialVersion): Promise<SecretMaterial> {
    return this.#store.open(ownerOf(version), version);
  }

  #inStage(
    { em }: Transaction,
    { tenantId, credentialId }: Credential,
    ...stages: CredentialVersion["stage"][]
  ): Promise<CredentialVersion[]> {
    const condition = { tenantId, credentialId, stage: { $in: stages } };
    return em.find(CredentialVersion, condition, { orderBy: { version: "asc" } });
  }

  /** Ends a version and destroys its secret. */
  async #end(version: CredentialVersion, stage: "Retired" | "Failed"): Promise<void> {
    const now = this.#clock();
    const endTime = stage === "Retired" ? { retiredAt: now } : { failedAt: now };
    const { keyId, wrappedKey, ciphertext } = version;
    const emptyMaterial = await this.#store.destroyed(ownerOf(version), { keyId, wrappedKey, ciphertext });
    Object.assign(version, { stage, graceEndsAt: null, unseen: false, ...emptyMaterial, ...endTime });
  }
}

/** Moves a locked credential to another state. Throws INVALID_STATE when the state does not allow it. */
export function moveTo(credential: Credential, to: CredentialState): void {
  requireMove(credential, to);
  credential.status = to;
}

const ownerOf = ({ tenantId, credentialId, version }: CredentialVersion): SecretOwner => ({
  tenantId,
  credentialId,
  version,
});
