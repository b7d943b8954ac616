import { FollowedCache } from "@factory/runtime/caches/followed-cache";
import type { Notifications } from "@factory/runtime/connections/listener";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Pool } from "pg";
import { readVersion, type VersionRow } from "../../credentials/credentials/credential.view.js";
import { credentialChanged } from "../../credentials/credentials/credential-change.js";
import type { SecretMaterial, SecretStore } from "../../credentials/credentials/secret-store.js";
import { hasPublicKeyForm } from "../../ground/standard-webhooks/ed25519-key.js";
import type { Candidate } from "./candidate.js";
import { verifyingVersions } from "./candidate-statement.js";

/** A secret in plain text, in memory only. */
export interface OpenSecret {
  readonly text: string;
  /** A public key verifies signatures of its kind only. As an HMAC key, it could be used by anybody. */
  readonly isPublic: boolean;
  /** The end of a previous version's grace period, in milliseconds since 1970. */
  readonly usableUntil: number;
}

/** A secret whose key this process does not have. It may be the one that verifies. */
interface SealedSecret {
  readonly isSealed: true;
}

/** A credential's secrets. */
type KnownSecret = OpenSecret | SealedSecret;

type SecretRow = Pick<
  VersionRow,
  "tenant_id" | "credential_id" | "version" | "stage" | "grace_ends_at" | "key_id" | "ciphertext"
> & { wrapped_key: Buffer };

interface Options {
  readonly workers: Pick<Pool, "query">;
  readonly store: Pick<SecretStore, "open">;
  readonly clock: () => Date;
}

const maxCredentials = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** A notice can be lost, so a secret is read again after this time. */
const freshMs = 60_000;
const maxSecretLength = 8 * 1024;
/** The members in each credential kind that can verify. */
const verifyingMembers = ["signingSecret", "secret", "publicKey", "token"];

/** Opens the candidates' secrets and keeps them in memory, until their credential changes. */
export class OpenSecrets {
  readonly #options: Options;
  readonly #secrets = new FollowedCache<readonly KnownSecret[]>({
    freshMs,
    maxEntries: maxCredentials,
    maxBytes,
    bytesOf: (secrets) => secrets.reduce((bytes, secret) => bytes + (isOpen(secret) ? 2 * secret.text.length : 0), 100),
    keeps: (secrets) => secrets.every(isOpen),
  });

  constructor(options: Options) {
    this.#options = options;
  }

  async listen(listener: Notifications): Promise<void> {
    await listener.on(credentialChanged, (credential) => this.#secrets.drop(credential));
  }

  /** Each candidate's secrets, in the same order. Requests at the same time share one read for a credential. */
  async of(candidates: readonly Candidate[]): Promise<(readonly KnownSecret[])[]> {
    const cachedSecrets = candidates.map((candidate) => this.#secrets.find(nameOf(candidate)));
    const missing = candidates.filter((_, place) => cachedSecrets[place] === undefined);
    const newSecrets = this.#readOnce(new Map(missing.map((candidate) => [nameOf(candidate), candidate])));
    return Promise.all(
      candidates.map((candidate, place) =>
        Promise.resolve(cachedSecrets[place] ?? newSecrets.get(nameOf(candidate)) ?? []),
      ),
    );
  }

  #readOnce(missing: ReadonlyMap<string, Candidate>): ReadonlyMap<string, Promise<readonly KnownSecret[]>> {
    if (missing.size === 0) return new Map();
    const all = this.#read([...missing.values()]);
    const secretsOf = (name: string) => all.then((secrets) => secrets.get(name) ?? []);
    return new Map([...missing.keys()].map((name) => [name, this.#secrets.keep(name, secretsOf(name))]));
  }

  async #read(candidates: readonly Candidate[]): Promise<Map<string, readonly KnownSecret[]>> {
    const { workers, clock } = this.#options;
    const tenants = candidates.map(({ tenant }) => tenant.uuid);
    const credentials = candidates.map(({ credential }) => credential);
    const { rows } = await workers.query<SecretRow>(verifyingVersions, [tenants, credentials, clock()]);
    const secretsByName = new Map<string, KnownSecret[]>(candidates.map((candidate) => [nameOf(candidate), []]));
    const openSecrets = await Promise.all(rows.map((row) => this.#secretsOf(row)));
    for (const [place, row] of rows.entries())
      secretsByName.get(`${row.tenant_id} ${row.credential_id}`)?.push(...(openSecrets[place] ?? []));
    return secretsByName;
  }

  /** None for a secret that is damaged: the others must still be tried. */
  async #secretsOf(row: SecretRow): Promise<KnownSecret[]> {
    const { tenantId, credentialId, version, stage, graceEndsAt, ...sealedMaterial } = readVersion(row);
    const usableUntil = stage === "Previous" ? (graceEndsAt?.getTime() ?? 0) : Number.POSITIVE_INFINITY;
    try {
      const owner = { tenantId, credentialId, version };
      const material = await this.#options.store.open(owner, { ...sealedMaterial, wrappedKey: row.wrapped_key });
      return textsOf(material).map((text) => ({ ...text, usableUntil }));
    } catch (error) {
      return error instanceof DomainError && error.code === "SECRET_STORE_UNAVAILABLE" ? [{ isSealed: true }] : [];
    }
  }
}

/** Whether the secret is in plain text. */
export const isOpen = (secret: KnownSecret): secret is OpenSecret => !("isSealed" in secret);

const nameOf = ({ tenant, credential }: Candidate): string => `${tenant.uuid} ${credential}`;

function textsOf(material: SecretMaterial): Pick<OpenSecret, "text" | "isPublic">[] {
  return verifyingMembers.flatMap((member) => {
    const value = Object.hasOwn(material, member) ? material[member] : undefined;
    return typeof value === "string" && value !== "" && value.length <= maxSecretLength
      ? [{ text: value, isPublic: member === "publicKey" || hasPublicKeyForm(value) }]
      : [];
  });
}
