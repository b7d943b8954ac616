import { keyStatement } from "@factory/runtime/db/key-statement";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { nearestNames } from "@factory/runtime/input-validation/nearest-names";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { Credential } from "./credential.entity.js";
import type { CreateCredentialInput } from "./credential.input.js";
import { type CredentialKind, type CredentialState, credentialKinds, usableStates } from "./credential.states.js";
import type { CredentialType } from "./credential.type.js";
import { type CredentialRow, credentialColumns, credentialView, readCredential } from "./credential.view.js";
import { CredentialArrivals } from "./credential-arrivals.js";
import { credentialName, credentialRef } from "./credential-name.js";
import { type CredentialSchedule, scheduled } from "./credential-schedule.js";
import { CredentialVersion } from "./credential-version.entity.js";
import {
  type CurrentVersionRow,
  currentVersionByName,
  type LivingSecretsRow,
  livingSecrets,
  usableVersions,
  versionById,
} from "./credential-version-statement.js";
import type { SecretDigest } from "./secret-digest.js";
import { checkMaterial, isSigningSecret, materialExpiry } from "./secret-material.js";
import type { SecretMaterial, SecretStore } from "./secret-store.js";

/** A secret in plain text. It must not be stored or logged. */
export interface OpenCredential {
  readonly name: string;
  readonly kind: CredentialKind;
  readonly version: number;
  readonly material: SecretMaterial;
}

interface NewCredential {
  readonly name: string;
  readonly kind: CredentialKind;
  readonly secret: SecretMaterial;
  readonly schedule?: CredentialSchedule;
}

const credentialById = keyStatement(
  "credential_by_id",
  `select ${credentialColumns} from credentials where tenant_id = scope.tenant and credential_id = $2`,
);

/** The name in $2 first, then the newest ones; an error message needs no more of them. */
const newestNames = tenantStatement(
  "credential_newest_names",
  `select name from credentials where tenant_id = scope.tenant and status <> 'Revoked'
   order by name = $2 desc, created_at desc limit 500`,
);

const firstVersion = {
  reason: null,
  graceSeconds: null,
  unseen: false,
  verificationRunId: null,
  verifiedAt: null,
  retiredAt: null,
  failedAt: null,
};

/**
 * Creates credentials and opens their secrets. A secret is sealed before it is stored and is not part of any result,
 * event or log line.
 */
export class CredentialService {
  readonly #database: Database;
  readonly #store: SecretStore;
  readonly #digest: SecretDigest;
  readonly #clock: () => Date;
  readonly arrivals = new CredentialArrivals();

  constructor(database: Database, store: SecretStore, digest: SecretDigest, clock: () => Date) {
    this.#database = database;
    this.#store = store;
    this.#digest = digest;
    this.#clock = clock;
  }

  async find(context: RequestContext, credentialId: string): Promise<CredentialType | undefined> {
    const uuid = decodeId("crd", credentialId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<CredentialRow>(credentialById, tenantOf(context), uuid);
    return row && credentialView(readCredential(row));
  }

  async get(context: RequestContext, credentialId: string): Promise<CredentialType> {
    const credential = await this.find(context, credentialId);
    if (!credential) throw unknownCredential();
    return credential;
  }

  /**
   * Opens the credential's current version by this name or `secret://` reference. Throws CREDENTIAL_NOT_FOUND or
   * INVALID_STATE.
   */
  async open(tenant: Tenant, cause: Cause, reference: string): Promise<OpenCredential> {
    const [row] = await this.#database.transaction(tenant, cause, ({ execute }) =>
      execute<CurrentVersionRow>(currentVersionByName, [tenant.uuid, credentialName(reference)]),
    );
    if (!row) throw unknownCredential();
    return this.#open(tenant, row);
  }

  /**
   * Opens one version: by its number, or the Current one, or the newest Previous one within its grace period. Throws
   * CREDENTIAL_NOT_FOUND, also for an unknown version, or INVALID_STATE.
   */
  async openVersion(
    tenant: Tenant,
    _: Cause,
    credentialId: string,
    selector: number | "current" | "previous",
  ): Promise<OpenCredential> {
    const stage = { current: "Current", previous: "Previous" };
    const values = versionById.valuesOf({
      credentialId: decodeId("crd", credentialId) ?? null,
      version: typeof selector === "number" ? selector : null,
      stage: typeof selector === "number" ? null : stage[selector],
      now: this.#clock(),
    });
    const row = await this.#database.reader.row<CurrentVersionRow>(versionById, tenant, ...values);
    if (!row) throw await this.#withoutVersion(tenant, credentialId);
    return this.#open(tenant, row);
  }

  /** A credential that was revoked has no version that can be opened. */
  async #withoutVersion(tenant: Tenant, credentialId: string): Promise<DomainError> {
    const uuid = decodeId("crd", credentialId);
    const row = await this.#database.reader.row<CredentialRow>(credentialById, tenant, uuid);
    return row && !usableStates.includes(row.status) ? unusableCredential(row) : unknownCredential();
  }

  async #open(tenant: Tenant, row: CurrentVersionRow): Promise<OpenCredential> {
    const { name, kind, status, version, wrapped_key: wrappedKey } = row;
    if (!usableStates.includes(status) || wrappedKey === null) throw unusableCredential({ name, status });
    const owner = { tenantId: tenant.tenantId, credentialId: encodeId("crd", row.credential_id), version };
    const sealedSecret = { keyId: row.key_id, wrappedKey, ciphertext: row.ciphertext };
    return { name, kind, version, material: await this.#store.open(owner, sealedSecret) };
  }

  /** The versions that may be used: the Current one, then Previous ones within their grace period, the newest first. */
  async usableVersions(tenant: Tenant, credentialId: string): Promise<number[]> {
    const values = [decodeId("crd", credentialId), this.#clock()];
    const rows = await this.#database.reader.rows<{ version: number }>(usableVersions, tenant, ...values);
    return rows.map(({ version }) => version);
  }

  async create(context: RequestContext, input: CreateCredentialInput): Promise<CredentialType> {
    requireSameTenant(context, input.tenantId);
    const { name, secret, graceSeconds = null, rotationIntervalDays = null } = input;
    const kind = checkedKind(input.kind);
    checkMaterial(kind, secret);
    const expiresAt = input.expiresAt == null ? materialExpiry(kind, secret) : new Date(input.expiresAt);
    const schedule = { expiresAt, graceSeconds, rotationIntervalDays };
    const newCredential = { name: credentialName(name), kind, secret, schedule };
    const requestWith = (digest: string) => ({
      ...{ name: newCredential.name, kind, secret: digest },
      ...(input.expiresAt != null && { expiresAt: input.expiresAt }),
      ...(graceSeconds !== null && { graceSeconds }),
      ...(rotationIntervalDays !== null && { rotationIntervalDays }),
    });
    try {
      return await idempotentMutation(this.#database, context, {
        field: "createCredential",
        arguments: requestWith(this.#digest.of(secret)),
        formerArguments: this.#digest.formerly(secret).map(requestWith),
        commit: async (transaction) => {
          const credential = await this.createIn(transaction, newCredential);
          const { credentialId } = credential;
          const arrival = { credentialId, name: newCredential.name, kind, hasHosts: secret["hosts"] !== undefined };
          await this.arrivals.tell(transaction, arrival);
          return credentialView(credential);
        },
      });
    } catch (error) {
      if (isNameTaken(error))
        throw new DomainError("CONFLICT", {
          detail: `A credential with the name "${newCredential.name}" exists already in this tenant. Choose another name.`,
        });
      throw error;
    }
  }

  /** Creates a credential in another service's transaction. */
  async createIn({ em, tenant, record }: Transaction, newCredential: NewCredential): Promise<Credential> {
    const { tenantId } = tenant;
    const [credentialId, version, createdAt] = [newId("crd"), 1, this.#clock()];
    const credential = em.create(Credential, {
      tenantId,
      credentialId,
      name: newCredential.name,
      kind: newCredential.kind,
      currentVersion: version,
      status: "Active",
      ...scheduled(newCredential.schedule, createdAt),
      rotationRunId: null,
      createdAt,
    });
    const sealedSecret = await this.#store.seal({ tenantId, credentialId, version }, newCredential.secret);
    em.persist([
      credential,
      em.create(CredentialVersion, {
        tenantId,
        credentialId,
        version,
        stage: "Current",
        graceEndsAt: null,
        ...sealedSecret,
        ...firstVersion,
        expiresAt: credential.expiresAt,
        promotedAt: createdAt,
        createdAt,
      }),
    ]);
    const { name, kind, status } = credential;
    record({
      type: "CredentialCreated",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, kind, status, credentialRef: credentialRef(name) },
    });
    return credential;
  }

  /** The credential of the transaction's tenant with this name or `secret://` reference. */
  named({ em, tenant }: Transaction, reference: string): Promise<Credential | null> {
    return em.findOne(Credential, { tenantId: tenant.tenantId, name: credentialName(reference) });
  }

  /** The tenant's credential name that equals a reference or is most similar to it. */
  async nearestName(tenant: Tenant, reference: string): Promise<string | undefined> {
    const rows = await this.#database.reader.rows<{ name: string }>(newestNames, tenant, credentialName(reference));
    const names = rows.map(({ name }) => name);
    return nearestNames(credentialName(reference), names)[0];
  }

  /** The secrets that sign an outgoing webhook: the newest first, then older ones within their grace period. */
  async signingSecrets(tenant: Tenant, credentialId: string): Promise<string[]> {
    const uuid = decodeId("crd", credentialId);
    const row = await this.#database.reader.row<LivingSecretsRow>(livingSecrets, tenant, uuid, this.#clock());
    const materials = (row?.versions ?? []).map(async (version, place) => {
      const [wrappedKey, ciphertext] = [row?.wrapped_keys?.[place], row?.ciphertexts?.[place]];
      if (!wrappedKey || !ciphertext) return undefined;
      const sealedSecret = { keyId: row?.key_ids?.[place] ?? "", wrappedKey, ciphertext };
      return this.#store.open({ tenantId: tenant.tenantId, credentialId, version }, sealedSecret);
    });
    return (await Promise.all(materials)).map((material) => material?.["signingSecret"]).filter(isSigningSecret);
  }
}

/** The refusal for an id or name that the tenant does not have. */
export function unknownCredential(): DomainError {
  return new DomainError("CREDENTIAL_NOT_FOUND", { detail: "The credential does not exist in this tenant." });
}

function unusableCredential({ name, status }: { name: string; status: CredentialState }): DomainError {
  return new DomainError("INVALID_STATE", {
    detail: `The credential "${name}" is ${status} and cannot be used. Use a credential that is Active.`,
    currentState: status,
    allowed: usableStates,
  });
}

/** True when a credential with the name exists already, also when another request has just created it. */
export function isNameTaken(error: unknown): boolean {
  return violatedUnique(error) === "credentials_name";
}

function checkedKind(kind: string | null | undefined): CredentialKind {
  const credentialKind = credentialKinds.find((candidate) => candidate === (kind ?? "Custom"));
  if (credentialKind === undefined) throw invalidEnumValue([{ pointer: "/input/kind", allowed: credentialKinds }]);
  return credentialKind;
}
