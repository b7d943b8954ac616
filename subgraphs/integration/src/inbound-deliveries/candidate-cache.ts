import type { Listener } from "@factory/runtime/connections/listener";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import type { Pool } from "pg";
import type { DeliveryHint } from "../arrived-deliveries/arrived-delivery.js";
import type { ProviderDriver } from "../provider-drivers/provider-driver.js";
import { inboundSourcesChanged } from "../providers/inbound-sources.js";
import { effectiveDriver, presetOf } from "../providers/provider-presets.js";
import type { Candidate, CandidateSet, Claim, Registration } from "./candidate.js";
import {
  candidateStatements,
  claimStatements,
  holdersOfAccount,
  keysOfTenant,
  maxCandidates,
} from "./candidate-statement.js";

interface ProviderRow {
  tenant_id: string;
  provider_id: string;
  key: string;
  preset: string | null;
  driver: ProviderDriver | null;
}

interface CandidateRow extends ProviderRow {
  credential_id: string;
  subscription_id: string | null;
  connection_id: string | null;
}

interface ClaimRow extends ProviderRow {
  subscription_id: string | null;
  connection_id: string | null;
  account: string | null;
  takes_part: boolean;
}

/** The tenants with an account at the vendor, or one of them by its UUID. */
interface AccountLookup {
  readonly kind: "holders";
  readonly value: string;
  readonly tenant: string | undefined;
}

type Lookup = DeliveryHint | AccountLookup | undefined;

interface Held {
  readonly set: CandidateSet;
  readonly readAt: number;
}

const maxSets = 10_000;
/** Sets without a tenant have a cache of their own, so that invented keys displace no others. */
const maxEmptySets = 10_000;
/** A notice can be lost, so a set is read again after this time. */
const freshMs = 60_000;
const none: CandidateSet = { candidates: [], claims: [], isWhole: true };

/** Finds the tenants and secrets that may verify a delivery, across tenants, and keeps them in memory. */
export class CandidateCache {
  readonly #workers: Pool;
  readonly #sets = new LRUCache<string, Held>({ max: maxSets });
  readonly #empty = new LRUCache<string, Held>({ max: maxEmptySets });
  readonly #reading = new Map<string, Promise<CandidateSet>>();
  /** Rises with each notice. A read that began before must not be kept. */
  #generation = 0;

  constructor(workers: Pool) {
    this.#workers = workers;
  }

  /** Drops sets when their tenants announce a change. */
  async listen(listener: Listener): Promise<void> {
    await listener.on(inboundSourcesChanged, (tenant) => void this.#changed(tenant));
  }

  /** The set in memory; undefined when `read` has to ask the database. */
  peek(key: string, hint: DeliveryHint | undefined): CandidateSet | undefined {
    return this.#held(key, hint);
  }

  /** The tenants with connections that have an account at the vendor; `tenant` (a UUID) asks for that one only. */
  async holders(key: string, account: string, tenant?: string): Promise<readonly Claim[]> {
    const lookup = { kind: "holders", value: account, tenant } as const;
    const { claims } = this.#held(key, lookup) ?? (await this.#readOnce(key, lookup));
    return claims;
  }

  /** Requests at the same time share one read. */
  read(key: string, hint: DeliveryHint | undefined): Promise<CandidateSet> {
    return this.#readOnce(key, hint);
  }

  #held(key: string, hint: Lookup): CandidateSet | undefined {
    const name = nameOf(key, hint);
    const held = this.#sets.get(name) ?? this.#empty.get(name);
    return held && performance.now() - held.readAt < freshMs ? held.set : undefined;
  }

  #readOnce(key: string, hint: Lookup): Promise<CandidateSet> {
    const name = nameOf(key, hint);
    const running = this.#reading.get(name);
    if (running) return running;
    const generation = this.#generation;
    const reading = this.#find(key, hint)
      .then((set) => {
        if (generation === this.#generation) this.#keep(name, set);
        return set;
      })
      .finally(() => {
        if (this.#reading.get(name) === reading) this.#reading.delete(name);
      });
    this.#reading.set(name, reading);
    return reading;
  }

  #keep(name: string, set: CandidateSet): void {
    const held = { set, readAt: performance.now() };
    const isEmpty = set.candidates.length === 0 && set.claims.length === 0;
    (isEmpty ? this.#empty : this.#sets).set(name, held);
    (isEmpty ? this.#sets : this.#empty).delete(name);
  }

  async #find(key: string, hint: Lookup): Promise<CandidateSet> {
    const value = hint && valueOf(hint);
    if (hint && value === undefined) return none;
    const read = (text: string, ...values: unknown[]) => this.#workers.query<ClaimRow>(text, [key, ...values]);
    if (hint?.kind === "holders") {
      const { rows } = await read(holdersOfAccount, value, hint.tenant ?? null);
      return { candidates: [], claims: rows.map(claimOf), isWhole: rows.length < maxCandidates };
    }
    const kind = hint?.kind ?? "none";
    const given = value === undefined ? [] : [value];
    const isResource = kind === "subscription" || kind === "connection";
    const [candidates, claims] = await Promise.all([
      this.#workers.query<CandidateRow>(candidateStatements[kind], [key, ...given]),
      read(claimStatements[kind], ...(isResource ? given : [])),
    ]);
    const isWhole = [candidates, claims].every(({ rows }) => rows.length < maxCandidates);
    return { candidates: candidates.rows.map(candidateOf), claims: claims.rows.map(claimOf), isWhole };
  }

  /** Without a tenant all notices may have been lost. */
  async #changed(tenant: string | undefined): Promise<void> {
    this.#generation += 1;
    this.#reading.clear();
    if (!tenant) return this.#clear();
    const keys = new Set([...this.#sets.keys(), ...this.#empty.keys()].map((name) => name.slice(0, name.indexOf(" "))));
    try {
      const { rows } = await this.#workers.query<{ key: string }>(keysOfTenant, [tenant, [...keys]]);
      // A set may hold the tenant although its provider has changed its key or takes no deliveries any more.
      const changed = new Set(rows.map(({ key }) => key));
      for (const cache of [this.#sets, this.#empty])
        for (const [name, { set }] of cache.entries())
          if (changed.has(name.slice(0, name.indexOf(" "))) || holds(set, tenant)) cache.delete(name);
    } catch {
      this.#clear();
    }
  }

  #clear(): void {
    this.#sets.clear();
    this.#empty.clear();
  }
}

/** A parameter of the statement; undefined for what cannot exist. */
function valueOf({ kind, value }: NonNullable<Lookup>): string | undefined {
  if (kind === "account" || kind === "holders") return isStorable(value) ? value : undefined;
  return decodeId(kind === "subscription" ? "whs" : "con", value);
}

function nameOf(key: string, hint: Lookup): string {
  if (!hint) return `${key} `;
  return hint.kind === "holders"
    ? `${key} holders ${hint.tenant ?? ""} ${hint.value}`
    : `${key} ${hint.kind} ${hint.value}`;
}

const holds = ({ candidates, claims }: CandidateSet, tenant: string): boolean =>
  [...claims, ...candidates].some((held) => held.tenant.uuid === tenant);

function registrationOf(row: ProviderRow): Registration {
  const preset = presetOf(row);
  return {
    tenant: tenantWithId(encodeId("ten", row.tenant_id)),
    providerId: encodeId("prv", row.provider_id),
    providerKey: row.key,
    preset: preset?.name ?? null,
    driver: effectiveDriver(preset, row.driver),
  };
}

const resourceOf = (row: Pick<CandidateRow, "subscription_id" | "connection_id">) => ({
  subscriptionId: row.subscription_id === null ? null : encodeId("whs", row.subscription_id),
  connectionId: row.connection_id === null ? null : encodeId("con", row.connection_id),
});

const candidateOf = (row: CandidateRow): Candidate => ({
  ...registrationOf(row),
  ...resourceOf(row),
  credential: row.credential_id,
});

const claimOf = (row: ClaimRow): Claim => ({
  ...registrationOf(row),
  ...resourceOf(row),
  account: row.account,
  takesPart: row.takes_part,
});
