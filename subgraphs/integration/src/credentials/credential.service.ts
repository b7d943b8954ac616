import type { Database, Transaction } from "@factory/runtime/db/database";
import { violatedUnique } from "@factory/runtime/db/database-failure";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { closedSetProblem } from "../closed-set.js";
import { parseSigningSecret } from "../standard-webhooks/signing-secret.js";
import { Credential } from "./credential.entity.js";
import type { CreateCredentialInput } from "./credential.input.js";
import { type CredentialKind, type CredentialState, credentialKinds } from "./credential.states.js";
import type { CredentialType } from "./credential.type.js";
import { credentialName, credentialRef, credentialVersionRef } from "./credential-name.js";
import { CredentialVersion } from "./credential-version.entity.js";
import type { SealedSecret, SecretMaterial, SecretVault } from "./secret-vault.js";

export interface NewCredential {
  readonly name: string;
  readonly kind: CredentialKind;
  readonly secret: SecretMaterial;
}

interface CredentialRow {
  credential_id: string;
  name: string;
  current_version: number;
  status: CredentialState;
  created_at: Date;
}

const credentialById = tenantStatement(
  "credential_by_id",
  `select credential_id, name, current_version, status, created_at
   from credentials where tenant_id = scope.tenant and credential_id = $2`,
);

const maxSecretCharacters = 64 * 1024;

/** The tenant's secrets. Material is sealed before it is written and appears in no result, event or log. */
export class CredentialService {
  readonly #database: Database;
  readonly #vault: SecretVault;

  constructor(database: Database, vault: SecretVault) {
    this.#database = database;
    this.#vault = vault;
  }

  async find(context: RequestContext, credentialId: string): Promise<CredentialType | undefined> {
    const uuid = decodeId("crd", credentialId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<CredentialRow>(credentialById, tenantOf(context), uuid);
    if (!row) return undefined;
    return credentialView({
      credentialId: encodeId("crd", row.credential_id),
      name: row.name,
      currentVersion: row.current_version,
      status: row.status,
      createdAt: row.created_at,
    });
  }

  async get(context: RequestContext, credentialId: string): Promise<CredentialType> {
    const credential = await this.find(context, credentialId);
    if (!credential) throw new DomainError("CREDENTIAL_NOT_FOUND", { detail: "No such credential in this tenant." });
    return credential;
  }

  async create(context: RequestContext, input: CreateCredentialInput): Promise<CredentialType> {
    requireSameTenant(context, input.tenantId);
    const wanted = { name: credentialName(input.name), kind: checkedKind(input.kind), secret: input.secret };
    checkMaterial(wanted);
    try {
      return await mutate(this.#database, context, {
        field: "createCredential",
        arguments: { ...wanted, secret: this.#vault.digest(input.secret) },
        commit: async (transaction) => credentialView(this.createIn(transaction, wanted)),
      });
    } catch (error) {
      if (isNameTaken(error))
        throw new DomainError("CONFLICT", { detail: `A credential named ${wanted.name} exists in this tenant.` });
      throw error;
    }
  }

  /** For services that need a credential of their own beside what they write. */
  createIn({ em, tenant, record }: Transaction, wanted: NewCredential): Credential {
    const { tenantId } = tenant;
    const [credentialId, version, createdAt] = [newId("crd"), 1, new Date()];
    const credential = em.create(Credential, {
      tenantId,
      credentialId,
      name: wanted.name,
      kind: wanted.kind,
      currentVersion: version,
      status: "Active",
      createdAt,
    });
    const sealed = this.#vault.seal({ tenantId, credentialId, version }, wanted.secret);
    em.persist([
      credential,
      em.create(CredentialVersion, {
        tenantId,
        credentialId,
        version,
        stage: "Current",
        graceEndsAt: null,
        ...sealed,
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

  /** The credential a `…Ref` field names, of this transaction's tenant. */
  named({ em, tenant }: Transaction, reference: string): Promise<Credential | null> {
    return em.findOne(Credential, { tenantId: tenant.tenantId, name: credentialName(reference) });
  }

  /** What an outgoing message is signed with: the newest secret first, older ones within their grace. */
  async signingSecrets({ execute, tenant }: Transaction, credentialId: string): Promise<string[]> {
    const rows = await execute<{ version: number; key_id: string; wrapped_key: Buffer; ciphertext: Buffer }>(
      `select version.version, version.key_id, version.wrapped_key, version.ciphertext
       from credentials credential join credential_versions version using (tenant_id, credential_id)
       where credential.tenant_id = $1 and credential.credential_id = $2 and credential.status not in ('Revoked', 'Expired')
         and version.wrapped_key is not null
         and (version.stage = 'Current' or (version.stage = 'Previous' and version.grace_ends_at > now()))
       order by version.version desc`,
      [tenant.uuid, decodeId("crd", credentialId)],
    );
    return rows.flatMap(({ version, key_id, wrapped_key, ciphertext }) => {
      const sealed: SealedSecret = { keyId: key_id, wrappedKey: wrapped_key, ciphertext };
      const { signingSecret } = this.#vault.open({ tenantId: tenant.tenantId, credentialId, version }, sealed);
      return isSigningSecret(signingSecret) ? [signingSecret] : [];
    });
  }
}

function isSigningSecret(value: unknown): value is string {
  return typeof value === "string" && parseSigningSecret(value) !== undefined;
}

/** Two requests gave the same name at once, or the name exists. */
export function isNameTaken(error: unknown): boolean {
  return violatedUnique(error) === "credentials_name";
}

function credentialView(
  credential: Pick<Credential, "credentialId" | "name" | "currentVersion" | "status" | "createdAt">,
): CredentialType {
  const { credentialId, name, currentVersion, status, createdAt } = credential;
  return {
    credentialId,
    name,
    credentialRef: credentialRef(name),
    currentVersionRef: credentialVersionRef(name, currentVersion),
    status,
    createdAt: createdAt.toISOString(),
  };
}

function checkedKind(kind: string | null | undefined): CredentialKind {
  const known = credentialKinds.find((candidate) => candidate === (kind ?? "Custom"));
  if (known === undefined) throw closedSetProblem([{ pointer: "/input/kind", allowed: credentialKinds }]);
  return known;
}

function checkMaterial({ kind, secret }: NewCredential): void {
  const refuse = (pointer: string, code: string, detail: string) => {
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The secret does not fit its kind.",
      errors: [{ pointer, code, detail }],
    });
  };
  if (Object.keys(secret).length === 0) refuse("/input/secret", "TOO_SHORT", "Must have at least one member.");
  if (JSON.stringify(secret).length > maxSecretCharacters)
    refuse("/input/secret", "TOO_LONG", `Must not exceed ${maxSecretCharacters} characters as JSON.`);
  if (kind === "WebhookSigning" && !isSigningSecret(secret["signingSecret"]))
    refuse("/input/secret/signingSecret", "FORMAT", "Must be whsec_ followed by 24 to 64 bytes in base64.");
}
