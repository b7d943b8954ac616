import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Credential } from "./credential.entity.js";
import { unknownCredential } from "./credential.service.js";
import { type CredentialState, statesBefore } from "./credential.states.js";
import { announceChange } from "./credential-change.js";
import { CredentialVersion } from "./credential-version.entity.js";
import type { SecretStore } from "./secret-store.js";

/**
 * The changes of a credential and its versions. Each runs in the transaction of its caller, under the lock of the
 * credential's row.
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

  /** Revokes the credential for ever and destroys the secrets of all its versions. */
  async revoke(transaction: Transaction, credential: Credential, reason: string | null): Promise<void> {
    const previousStatus = credential.status;
    requireMove(credential, "Revoked");
    const { em } = transaction;
    const { tenantId, credentialId, name } = credential;
    em.assign(credential, { status: "Revoked", nextRotationAt: null, nextChangeAt: null, changeSentAt: null });
    const living = { tenantId, credentialId, stage: { $in: ["Pending", "Current", "Previous"] as const } };
    for (const version of await em.find(CredentialVersion, living)) {
      if (version.stage === "Pending") await this.#end(version, "Failed");
      else await this.#retire(transaction, credential, version);
    }
    transaction.record({
      type: "CredentialRevoked",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, status: "Revoked", previousStatus, reason },
    });
    await announceChange(transaction, credentialId);
  }

  async #retire(
    { record }: Transaction,
    { credentialId, name }: Credential,
    version: CredentialVersion,
  ): Promise<void> {
    await this.#end(version, "Retired");
    record({
      type: "CredentialVersionRetired",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, version: version.version },
    });
  }

  /** Ends a version and destroys its secret. */
  async #end(version: CredentialVersion, stage: "Retired" | "Failed"): Promise<void> {
    const now = this.#clock();
    const ended = stage === "Retired" ? { retiredAt: now } : { failedAt: now };
    const { tenantId, credentialId, version: number, keyId, wrappedKey, ciphertext } = version;
    const owner = { tenantId, credentialId, version: number };
    const destroyed = await this.#store.destroyed(owner, { keyId, wrappedKey, ciphertext });
    Object.assign(version, { stage, graceEndsAt: null, ...destroyed, ...ended });
  }
}

/** Throws INVALID_STATE when the credential cannot change to this state. */
function requireMove({ status, name }: Credential, to: CredentialState): void {
  const allowed = statesBefore(to);
  if (!allowed.includes(status))
    throw new DomainError("INVALID_STATE", {
      detail: `The credential "${name}" is ${status}. It can become ${to} only from ${allowed.join(", ")}.`,
      currentState: status,
      allowed,
    });
}
