import { FollowedCache } from "@factory/runtime/caches/followed-cache";
import type { Notifications } from "@factory/runtime/connections/listener";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Pool } from "pg";
import { inboundSourcesChanged } from "../../providers/providers/inbound-sources.js";
import type { ProviderRow } from "../../providers/providers/provider.view.js";
import { presetOf } from "../../providers/providers/provider-presets.js";
import type { DeliveryHint } from "../arrived-deliveries/arrived-delivery.js";
import { type Candidate, type CandidateSet, type Claim, isEmpty, type Registration } from "./candidate.js";
import {
  candidateStatements,
  claimStatements,
  holdersOfAccount,
  keysOfTenants,
  maxCandidates,
} from "./candidate-statement.js";
import { DriverCache } from "./driver-cache.js";

/** The driver is JSON text. */
type RegistrationRow = Pick<ProviderRow, "tenant_id" | "provider_id" | "key" | "preset"> & { driver: string | null };

interface ResourceRow {
  subscription_id: string | null;
  connection_id: string | null;
  project_id: string | null;
}

interface CandidateRow extends RegistrationRow, ResourceRow {
  credential_id: string;
}

interface ClaimRow extends RegistrationRow, ResourceRow {
  account: string | null;
  takes_part: boolean;
}

/** The tenants with an account at the vendor, or the one with this UUID. */
interface AccountLookup {
  readonly kind: "holders";
  readonly value: string;
  readonly tenant: string | undefined;
}

type Lookup = DeliveryHint | AccountLookup | undefined;

const maxBytes = 64 * 1024 * 1024;
const bytesOfHolder = 600;
/** Sets without a tenant have their own cache, so that invented names displace no others. */
const maxEmptySets = 10_000;
/** A notice can be lost, so a set is read again after this time. */
const freshMs = 60_000;
const none: CandidateSet = { candidates: [], claims: [], isWhole: true };

/** Finds the tenants and secrets that may verify a delivery, across tenants, and keeps them in memory. */
export class CandidateCache {
  readonly #workers: Pick<Pool, "query">;
  readonly #drivers = new DriverCache();
  readonly #sets = new FollowedCache<CandidateSet>({
    freshMs,
    maxBytes,
    bytesOf: (set, name) => this.#bytesOf(set) + 2 * name.length,
    keeps: (set) => !isEmpty(set),
  });
  readonly #empty = new FollowedCache<CandidateSet>({ freshMs, maxEntries: maxEmptySets, keeps: isEmpty });
  /** The tenants whose changes are not looked up yet. */
  #changed = new Set<string>();
  #isLooking = false;

  constructor(workers: Pick<Pool, "query">) {
    this.#workers = workers;
  }

  /** Drops sets when their tenants announce a change. */
  async listen(listener: Notifications): Promise<void> {
    await listener.on(inboundSourcesChanged, (tenant) => this.#drop(tenant));
  }

  /** The set that is in memory or is read already; undefined when `read` has to ask the database. */
  peek(key: string, hint: DeliveryHint | undefined): Promise<CandidateSet> | undefined {
    const accountSet = this.#known(key, hint);
    if (hint?.kind !== "account") return accountSet;
    const all = this.#known(key, undefined);
    return accountSet && all && Promise.all([all, accountSet]).then(ofAccount);
  }

  /** The tenants with connections that have an account at the vendor; `tenant` (a UUID) asks for that one only. */
  async holders(key: string, account: string, tenant?: string): Promise<readonly Claim[]> {
    return (await this.#one(key, { kind: "holders", value: account, tenant })).claims;
  }

  /** Requests at the same time share one read. */
  async read(key: string, hint: DeliveryHint | undefined): Promise<CandidateSet> {
    const hintedSet = this.#one(key, hint);
    return hint?.kind === "account" ? ofAccount(await Promise.all([this.#one(key, undefined), hintedSet])) : hintedSet;
  }

  #one(key: string, hint: Lookup): Promise<CandidateSet> {
    return this.#known(key, hint) ?? this.#readOnce(key, hint);
  }

  #known(key: string, hint: Lookup): Promise<CandidateSet> | undefined {
    const name = nameOf(key, hint);
    return this.#sets.find(name) ?? this.#empty.find(name);
  }

  #readOnce(key: string, hint: Lookup): Promise<CandidateSet> {
    const name = nameOf(key, hint);
    return this.#empty.keep(name, this.#sets.keep(name, this.#find(key, hint)));
  }

  async #find(key: string, hint: Lookup): Promise<CandidateSet> {
    const value = hint && valueOf(hint);
    if (hint && value === undefined) return none;
    const candidatesOf = async (text: string, ...values: unknown[]) =>
      (await this.#workers.query<CandidateRow>(text, [key, ...values])).rows.map((row) => this.#candidateOf(row));
    const claimsOf = async (text: string, ...values: unknown[]) =>
      (await this.#workers.query<ClaimRow>(text, [key, ...values])).rows.map((row) => this.#claimOf(row));
    if (hint?.kind === "holders") return setOf([], await claimsOf(holdersOfAccount, value, hint.tenant ?? null));
    const kind = hint?.kind ?? "none";
    const parameters = value === undefined ? [] : [value];
    const [candidates, claims] = await Promise.all([
      candidatesOf(candidateStatements[kind], ...parameters),
      kind === "account" ? [] : claimsOf(claimStatements[kind], ...parameters),
    ]);
    return setOf(candidates, claims);
  }

  #bytesOf({ candidates, claims }: CandidateSet): number {
    const drivers = [...candidates, ...claims].map(({ driver }) => driver);
    return bytesOfHolder * (1 + drivers.length) + this.#drivers.bytesOf(drivers);
  }

  /** Without a tenant all notices may have been lost. */
  #drop(tenant: string | undefined): void {
    if (!tenant) return this.#clear();
    for (const cache of [this.#sets, this.#empty]) cache.dropReads();
    this.#changed.add(tenant);
    if (!this.#isLooking) void this.#lookUp();
  }

  /**
   * Drops the sets for the tenants that have changed. Those that change meanwhile are looked up together afterwards.
   */
  async #lookUp(): Promise<void> {
    this.#isLooking = true;
    while (this.#changed.size > 0) {
      const tenants = this.#changed;
      this.#changed = new Set();
      await this.#dropOf(tenants).catch(() => this.#clear());
    }
    this.#isLooking = false;
  }

  async #dropOf(tenants: ReadonlySet<string>): Promise<void> {
    const keys = new Set([...this.#sets.keys(), ...this.#empty.keys()].map((name) => name.slice(0, name.indexOf(" "))));
    const { rows } = await this.#workers.query<{ key: string }>(keysOfTenants, [[...tenants], [...keys]]);
    // A set may hold a tenant although its provider has changed its key or takes no deliveries any more.
    const changedKeys = new Set(rows.map(({ key }) => key));
    const isChanged = (set: CandidateSet, name: string) =>
      changedKeys.has(name.slice(0, name.indexOf(" "))) || holds(set, tenants);
    for (const cache of [this.#sets, this.#empty]) cache.dropWhere(isChanged);
  }

  #registrationOf(row: RegistrationRow): Registration {
    const preset = presetOf(row);
    return {
      tenant: tenantWithId(encodeId("ten", row.tenant_id)),
      providerId: encodeId("prv", row.provider_id),
      providerKey: row.key,
      preset: preset?.name ?? null,
      driver: this.#drivers.of(preset, row.driver),
    };
  }

  #candidateOf(row: CandidateRow): Candidate {
    return { ...this.#registrationOf(row), ...resourceOf(row), credential: row.credential_id };
  }

  #claimOf(row: ClaimRow): Claim {
    return { ...this.#registrationOf(row), ...resourceOf(row), account: row.account, takesPart: row.takes_part };
  }

  #clear(): void {
    for (const cache of [this.#sets, this.#empty]) cache.drop(undefined);
  }
}

/** A parameter for the statement; undefined for what cannot exist. */
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

const setOf = (candidates: readonly Candidate[], claims: readonly Claim[]): CandidateSet => ({
  candidates,
  claims,
  isWhole: Math.max(candidates.length, claims.length) < maxCandidates,
});

/** An account's secrets, and the vendor's tenants, which are the same for all accounts. */
const ofAccount = ([all, accountSet]: readonly [CandidateSet, CandidateSet]): CandidateSet => ({
  candidates: accountSet.candidates,
  claims: all.claims,
  isWhole: all.isWhole && accountSet.isWhole,
});

const holds = ({ candidates, claims }: CandidateSet, tenants: ReadonlySet<string>): boolean =>
  [claims, candidates].some((holders) => holders.some(({ tenant }) => tenants.has(tenant.uuid)));

const resourceOf = (row: ResourceRow) => ({
  subscriptionId: row.subscription_id === null ? null : encodeId("whs", row.subscription_id),
  connectionId: row.connection_id === null ? null : encodeId("con", row.connection_id),
  subscriptionProject: row.project_id,
});
