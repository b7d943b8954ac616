import type { ServerResponse } from "node:http";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { concerns, type Revocation } from "@factory/runtime/auth/revocations";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FeatureFlags, FlagChange } from "./feature-flags.js";

/** The event stream limits in this process. */
export interface StreamLimits {
  readonly maxPerTenant: number;
  readonly maxPerPrincipal: number;
  readonly maxTotal: number;
  /** Keeps proxies from closing an idle stream. A reader that has not taken what was sent by then is cut. */
  readonly heartbeatMs: number;
  /** A tenant's streams hear about changes at most this often. */
  readonly pauseMs: number;
}

const usualLimits: StreamLimits = {
  maxPerTenant: 1000,
  maxPerPrincipal: 200,
  maxTotal: 5000,
  heartbeatMs: 15_000,
  pauseMs: 250,
};

/** How long a client waits before it connects again. */
const retryMs = 2000;

interface OpenStream {
  readonly principal: Principal;
  readonly token: string;
  readonly response: ServerResponse;
}

interface TenantStreams {
  readonly streams: Set<OpenStream>;
  version: number;
  toldAt: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Server-Sent Events streams that tell clients to evaluate their flags again (OFREP ADR 0008). A stream ends with its
 * token, and when the platform stops.
 */
export class EventStreams {
  readonly #flags: FeatureFlags;
  readonly #verifier: Verifier;
  readonly #limits: StreamLimits;
  readonly #perTenant: ConcurrencyLimiter;
  readonly #perPrincipal: ConcurrencyLimiter;
  readonly #tenants = new Map<string, TenantStreams>();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #unwatch: () => void;
  #closed = false;

  constructor(flags: FeatureFlags, verifier: Verifier, limits: Partial<StreamLimits> = {}) {
    this.#flags = flags;
    this.#verifier = verifier;
    this.#limits = { ...usualLimits, ...limits };
    const { maxPerTenant, maxPerPrincipal, maxTotal, heartbeatMs } = this.#limits;
    this.#perTenant = new ConcurrencyLimiter({ maxPerTenant, maxTotal }, "event streams");
    this.#perPrincipal = new ConcurrencyLimiter({ maxPerTenant: maxPerPrincipal }, "event streams");
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
    this.#unwatch = flags.watch((change) => this.#changed(change));
  }

  /** Answers the request with a stream. Throws RATE_LIMITED when a limit is reached. */
  async open(principal: Principal, { headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { tenantId = "" } = principal;
    const version = await this.#flags.versionOf(tenantId);
    if (this.#closed)
      throw new DomainError("UNAVAILABLE", {
        detail: "The platform is stopping. Connect again after the time in Retry-After.",
      });
    const release = this.#seat(tenantId, principal);
    const { raw: response } = reply.hijack();
    response.on("error", () => response.destroy());
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // nginx would collect events in a buffer
      "x-accel-buffering": "no",
    });
    const token = headers.authorization?.slice("bearer ".length).trim() ?? "";
    const stream: OpenStream = { principal, token, response };
    const tenant = this.#tenants.get(tenantId) ?? { streams: new Set(), version, toldAt: 0, timer: undefined };
    this.#tenants.set(tenantId, tenant);
    tenant.version = Math.max(tenant.version, version);
    tenant.streams.add(stream);
    const expiry = setTimeout(() => response.end(), Math.max(0, principal.expiresAt * 1000 - Date.now())).unref();
    response.once("close", () => {
      clearTimeout(expiry);
      release();
      this.#leave(tenantId, tenant, stream);
    });
    // also at the beginning, since a change between the evaluation and this stream would be missed
    response.write(`retry: ${retryMs}\n\n${eventOf(tenant.version)}`);
  }

  /** Ends the streams whose tokens are not valid any more. */
  revoked(revocation: Revocation): void {
    const about = revocation.kind === "TenantClosed" ? this.#tenants.get(revocation.subject) : undefined;
    for (const { streams } of about ? [about] : this.#tenants.values())
      for (const { principal, token, response } of streams)
        if (concerns(revocation, principal)) this.#verifier.verify(token).catch(() => response.end());
  }

  /** Ends all streams. Later requests are refused. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    this.#unwatch();
    for (const { streams, timer } of this.#tenants.values()) {
      clearTimeout(timer);
      for (const { response } of streams) response.end();
    }
  }

  #seat(tenantId: string, { subject }: Principal): () => void {
    const release = this.#perTenant.acquire(tenantId);
    const releasePrincipal = release && this.#perPrincipal.acquire(`${tenantId} ${subject}`);
    if (release && releasePrincipal)
      return () => {
        release();
        releasePrincipal();
      };
    release?.();
    const { maxPerTenant, maxPerPrincipal } = this.#limits;
    throw new DomainError("RATE_LIMITED", {
      detail: `A tenant may have ${maxPerTenant} event streams open, and one principal of it ${maxPerPrincipal}. Close one of them, or poll.`,
      retryAfterSeconds: 10,
    });
  }

  #leave(tenantId: string, tenant: TenantStreams, stream: OpenStream): void {
    tenant.streams.delete(stream);
    if (tenant.streams.size > 0) return;
    clearTimeout(tenant.timer);
    this.#tenants.delete(tenantId);
  }

  #changed({ tenantId, version }: FlagChange): void {
    const tenant = this.#tenants.get(tenantId);
    if (!tenant || version <= tenant.version) return;
    tenant.version = version;
    const waitMs = tenant.toldAt + this.#limits.pauseMs - Date.now();
    tenant.timer ??= setTimeout(() => tell(tenant), Math.max(0, waitMs)).unref();
  }

  #beat(): void {
    for (const { streams } of this.#tenants.values())
      for (const { response } of streams)
        if (response.writableNeedDrain) response.destroy();
        else response.write(":\n\n");
  }
}

function tell(tenant: TenantStreams): void {
  tenant.timer = undefined;
  tenant.toldAt = Date.now();
  const event = eventOf(tenant.version);
  for (const { response } of tenant.streams) if (!response.writableNeedDrain) response.write(event);
}

const eventOf = (version: number) =>
  `id: ${version}\ndata: ${JSON.stringify({ type: "refetchEvaluation", etag: `"${version}"` })}\n\n`;
