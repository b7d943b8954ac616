import { createHash } from "node:crypto";
import type { ClientTls, Egress, EgressClient } from "@factory/runtime/egress/egress";
import { LRUCache } from "lru-cache";

const maxClients = 512;
const maxClientsPerTenant = 32;
const idleMs = 60_000;
const connectionsPerOrigin = 8;
/** Calls that take minutes have their own client, so that they leave its connections to the others. */
const longConnectionsPerOrigin = 64;

export const connectTimeoutMs = 5000;

interface ClientOptions {
  readonly tls?: ClientTls | undefined;
  readonly isLong?: boolean | undefined;
}

/**
 * An HTTP client for each connection, and another one for each client certificate. An unused client is closed after a
 * minute; before that, undici closes its idle sockets after some seconds.
 */
export class VendorClients {
  readonly #egress: Egress;
  readonly #clients: LRUCache<string, EgressClient>;

  constructor(egress: Egress) {
    this.#egress = egress;
    this.#clients = new LRUCache({
      max: maxClients,
      ttl: idleMs,
      updateAgeOnGet: true,
      ttlAutopurge: true,
      // requests that are under way still get their answers
      dispose: (client) => void client.close().catch(() => undefined),
    });
  }

  /** `tenant` and `connection` are IDs without spaces. */
  of(tenant: string, connection: string, { tls, isLong = false }: ClientOptions): EgressClient {
    const key = `${tenant} ${connection} ${tls ? fingerprint(tls) : "-"} ${isLong}`;
    const cachedClient = this.#clients.get(key);
    if (cachedClient) return cachedClient;
    const connections = isLong ? longConnectionsPerOrigin : connectionsPerOrigin;
    const client = this.#egress.client({ connectTimeoutMs, connections, ...(tls && { tls }) });
    const ofTenant = [...this.#clients.rkeys()].filter((other) => other.startsWith(`${tenant} `));
    const [oldest] = ofTenant;
    if (oldest !== undefined && ofTenant.length >= maxClientsPerTenant) this.#clients.delete(oldest);
    this.#clients.set(key, client);
    return client;
  }

  close(): void {
    this.#clients.clear();
  }
}

const fingerprint = ({ certificate, privateKey, authorities = "" }: ClientTls): string =>
  createHash("sha256").update(`${certificate}\0${privateKey}\0${authorities}`).digest("base64url");
