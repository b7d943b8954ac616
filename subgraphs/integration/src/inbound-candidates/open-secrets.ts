import type { Listener } from "@factory/runtime/connections/listener";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import { credentialChanged } from "../credentials/credential-change.js";
import type { SecretMaterial, SecretStore } from "../credentials/secret-store.js";
import type { Candidate } from "./candidate.js";
import { verifyingVersions } from "./candidate-statement.js";

/** A secret in plain text, in memory only. */
export interface OpenSecret {
  readonly text: string;
  /** A public key verifies signatures of its kind only. As the key of an HMAC anybody could use it. */
  readonly isPublic: boolean;
  /** The end of the grace period of a previous version, in milliseconds since 1970. */
  readonly usableUntil: number;
}

interface VersionRow {
  tenant_id: string;
  credential_id: string;
  version: number;
  stage: string;
  grace_ends_at: Date | null;
  key_id: string;
  wrapped_key: Buffer;
  ciphertext: Buffer;
}

interface Options {
  readonly workers: Pool;
  readonly store: SecretStore;
  readonly clock: () => Date;
}

const maxCredentials = 10_000;
const maxBytes = 16 * 1024 * 1024;
/** A notice can be lost, so a secret is read again after this time. */
const freshMs = 60_000;
const maxSecretLength = 8 * 1024;
/** The members of the kinds of credentials that can verify. */
const verifyingMembers = ["signingSecret", "secret", "publicKey", "token"];

/** Opens the secrets of candidates and keeps them in memory, until their credential changes. */
export class OpenSecrets {
  readonly #options: Options;
  readonly #open = new LRUCache<string, readonly OpenSecret[]>({
    max: maxCredentials,
    maxSize: maxBytes,
    sizeCalculation: (secrets) => secrets.reduce((bytes, { text }) => bytes + 2 * text.length, 100),
    ttl: freshMs,
  });
  #generation = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async listen(listener: Listener): Promise<void> {
    await listener.on(credentialChanged, (credential) => {
      this.#generation += 1;
      // After a reconnect notices may have been lost.
      if (credential) this.#open.delete(credential);
      else this.#open.clear();
    });
  }

  /** The secrets of each candidate, in the same order. */
  async of(candidates: readonly Candidate[]): Promise<(readonly OpenSecret[])[]> {
    const found = candidates.map((candidate) => this.#open.get(nameOf(candidate)));
    const missing = candidates.filter((_, place) => found[place] === undefined);
    if (missing.length === 0) return found as (readonly OpenSecret[])[];
    const read = await this.#read(missing);
    return candidates.map((candidate, place) => found[place] ?? read.get(nameOf(candidate)) ?? []);
  }

  async #read(candidates: readonly Candidate[]): Promise<Map<string, readonly OpenSecret[]>> {
    const { workers, clock } = this.#options;
    const generation = this.#generation;
    const tenants = candidates.map(({ tenant }) => tenant.uuid);
    const credentials = candidates.map(({ credential }) => credential);
    const { rows } = await workers.query<VersionRow>(verifyingVersions, [tenants, credentials, clock()]);
    const read = new Map<string, OpenSecret[]>(candidates.map((candidate) => [nameOf(candidate), []]));
    const opened = await Promise.all(rows.map((row) => this.#secretsOf(row)));
    for (const [place, row] of rows.entries())
      read.get(`${row.tenant_id} ${row.credential_id}`)?.push(...(opened[place] ?? []));
    if (generation === this.#generation) for (const [name, secrets] of read) this.#open.set(name, secrets);
    return read;
  }

  /** None for a secret that cannot be opened: the others must still be tried. */
  async #secretsOf(row: VersionRow): Promise<OpenSecret[]> {
    const { tenant_id, credential_id, version, key_id: keyId, wrapped_key: wrappedKey, ciphertext } = row;
    const owner = { tenantId: encodeId("ten", tenant_id), credentialId: encodeId("crd", credential_id), version };
    const usableUntil = row.stage === "Previous" ? (row.grace_ends_at?.getTime() ?? 0) : Number.POSITIVE_INFINITY;
    try {
      const material = await this.#options.store.open(owner, { keyId, wrappedKey, ciphertext });
      return textsOf(material).map((text) => ({ ...text, usableUntil }));
    } catch {
      return [];
    }
  }
}

const nameOf = ({ tenant, credential }: Candidate): string => `${tenant.uuid} ${credential}`;

function textsOf(material: SecretMaterial): Pick<OpenSecret, "text" | "isPublic">[] {
  return verifyingMembers.flatMap((member) => {
    const value = Object.hasOwn(material, member) ? material[member] : undefined;
    return typeof value === "string" && value !== "" && value.length <= maxSecretLength
      ? [{ text: value, isPublic: member === "publicKey" }]
      : [];
  });
}
