import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { LRUCache } from "lru-cache";
import type { ConnectionService } from "../../connections/connections/connection.service.js";
import type { PreparedReads, VendorConnection } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { VendorCalls } from "../../connections/vendor-calls/vendor-calls.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { type TargetStateRow, targetState } from "./target-state-statement.js";

/** A connection with all that its call reads, as it was in one state of the database. */
export interface KnownTarget {
  readonly connection: VendorConnection;
  readonly provider: ProviderRecord | undefined;
}

interface Kept extends KnownTarget {
  readonly state: string;
  credential: PreparedReads["credential"];
}

interface Services {
  readonly reader: TenantReader;
  readonly connections: Pick<ConnectionService, "record">;
  readonly providers: Pick<ProviderService, "record">;
  readonly vendorCalls: Pick<VendorCalls, "openCredential">;
}

const maxKept = 1000;
/** The opened credential leaves the memory when its connection is not called any more. */
const keptMs = 10 * 60_000;

/**
 * Keeps what model calls read in memory. Each call compares it with the state in the database, which is read in the
 * transaction that begins its run.
 */
export class KnownTargets {
  readonly #services: Services;
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept, ttl: keptMs, ttlAutopurge: true });

  constructor(services: Services) {
    this.#services = services;
  }

  /** Undefined: the connection does not exist, or is deleted. */
  async find(tenant: Tenant, connectionId: string): Promise<KnownTarget | undefined> {
    return this.#kept.get(nameOf(tenant, connectionId)) ?? this.#read(tenant, connectionId);
  }

  /** The state is read before the rows. If they change in between, the next check finds another state. */
  async #read(tenant: Tenant, connectionId: string): Promise<KnownTarget | undefined> {
    const { connections, providers } = this.#services;
    const row = await this.#stateOf(tenant, connectionId);
    const connection = row && (await connections.record(tenant, connectionId));
    if (!connection) return undefined;
    const provider = await providers.record(tenant, connection.providerId);
    const target: Kept = { state: row.state, connection, provider, credential: undefined };
    this.#kept.set(nameOf(tenant, connectionId), target);
    return target;
  }

  /** A call's reads, unless the target has changed since it was found. */
  confirmed(
    tenant: Tenant,
    cause: Cause,
    { connection, provider }: KnownTarget,
    row: TargetStateRow | undefined,
  ): PreparedReads | undefined {
    const keptTarget = this.#kept.get(nameOf(tenant, connection.connectionId));
    if (!row || keptTarget?.connection !== connection || keptTarget.state !== row.state) return undefined;
    const pauseMs = Promise.resolve(Math.max(0, row.pause_ms ?? 0));
    return { provider: Promise.resolve(provider), pauseMs, credential: this.#credentialOf(tenant, cause, keptTarget) };
  }

  forget(tenant: Tenant, connectionId: string): void {
    this.#kept.delete(nameOf(tenant, connectionId));
  }

  #credentialOf(tenant: Tenant, cause: Cause, keptTarget: Kept): PreparedReads["credential"] {
    if (keptTarget.credential) return keptTarget.credential;
    const openCredential = this.#services.vendorCalls.openCredential({
      tenant,
      cause,
      connection: keptTarget.connection,
    });
    keptTarget.credential = openCredential;
    openCredential?.catch(() => {
      keptTarget.credential = undefined;
    });
    return openCredential;
  }

  async #stateOf(tenant: Tenant, connectionId: string): Promise<TargetStateRow | undefined> {
    const uuid = decodeId("con", connectionId);
    return uuid === undefined ? undefined : this.#services.reader.row<TargetStateRow>(targetState, tenant, uuid);
  }
}

const nameOf = (tenant: Tenant, connectionId: string): string => `${tenant.uuid} ${connectionId}`;
