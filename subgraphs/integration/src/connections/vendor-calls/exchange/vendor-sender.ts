import type { ClientTls, EgressResponse } from "@factory/runtime/egress/egress";
import { EgressFailure } from "@factory/runtime/egress/egress-errors";
import type { TakeBody } from "@factory/runtime/egress/response-body";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { TenantOrigin } from "../../../ground/egress/tenant-origin.js";
import { callFailure, outOfTime } from "./call-failure.js";
import { CallSlots, longCalls } from "./call-slots.js";
import type { VendorBreakers } from "./vendor-breakers.js";
import type { VendorTarget } from "./vendor-call.js";
import { connectTimeoutMs, type VendorClients } from "./vendor-clients.js";

interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer | string | undefined;
  /** Milliseconds on the monotonic clock. */
  readonly deadline: number;
  readonly maxResponseBytes: number;
  readonly onBody?: TakeBody | undefined;
  /** Whether the caller may wait for minutes. Long exchanges have their own slots. */
  readonly isLong?: boolean;
  readonly tls?: ClientTls | undefined;
}

/** Makes one HTTP exchange with a vendor: by the connection's client, in its slots, behind the breaker. */
export class VendorSender {
  readonly #clients: VendorClients;
  readonly #httpsOnly: boolean;
  readonly #slots = new CallSlots();
  readonly #longSlots = new CallSlots(longCalls);
  readonly #breakers: VendorBreakers;

  constructor(clients: VendorClients, breakers: VendorBreakers, httpsOnly: boolean) {
    this.#clients = clients;
    this.#breakers = breakers;
    this.#httpsOnly = httpsOnly;
  }

  /**
   * Throws UPSTREAM_FAILED, UPSTREAM_TIMEOUT, TARGET_BLOCKED, RATE_LIMITED, UNAVAILABLE while the breaker is open, and
   * the target signal's reason.
   */
  async send({ tenant, connection, signal }: VendorTarget, exchange: Exchange): Promise<EgressResponse> {
    const { url, deadline, isLong = false } = exchange;
    if (this.#httpsOnly && url.protocol !== "https:")
      throw new DomainError("TARGET_BLOCKED", { detail: "The address of the vendor must begin with https://." });
    const receiver = { tenant: tenant.uuid, origin: url.origin };
    const { probe, leave } = this.#breakers.enter(receiver);
    const slots = isLong ? this.#longSlots : this.#slots;
    const slotRequest = { tenant: tenant.uuid, connection: connection.connectionId, deadline, signal };
    const free = await slotOf(slots, slotRequest).catch((error: unknown) => {
      leave();
      throw error;
    });
    try {
      return await this.#exchange(receiver, probe, { ...exchange, connectionId: connection.connectionId, signal });
    } finally {
      free();
      leave();
    }
  }

  async #exchange(
    receiver: TenantOrigin,
    probe: boolean,
    exchange: Exchange & { connectionId: string; signal: AbortSignal | undefined },
  ): Promise<EgressResponse> {
    const { url, method, headers, body, deadline, maxResponseBytes, onBody, isLong, tls } = exchange;
    const { connectionId, signal } = exchange;
    const timeoutMs = Math.floor(deadline - performance.now());
    if (timeoutMs < 1) throw outOfTime();
    try {
      const client = this.#clients.of(receiver.tenant, connectionId, { tls, isLong });
      const response = await client.request(url.href, {
        method,
        headers,
        ...(body !== undefined && { body }),
        timeoutMs,
        connectTimeoutMs,
        maxResponseBytes,
        ...(onBody && { onBody }),
        ...(signal && { signal }),
      });
      this.#breakers.answered(receiver);
      return response;
    } catch (error) {
      if (error instanceof EgressFailure) this.#breakers.unanswered(receiver, probe);
      throw callFailure(error);
    }
  }
}

interface WantedSlot {
  readonly tenant: string;
  readonly connection: string;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

async function slotOf(slots: CallSlots, { tenant, connection, deadline, signal }: WantedSlot): Promise<() => void> {
  signal?.throwIfAborted();
  const free = deadline > performance.now() ? slots.takeFree(tenant, connection) : undefined;
  if (free) return free;
  const timeout = AbortSignal.timeout(Math.max(0, Math.floor(deadline - performance.now())));
  const endSignal = signal ? AbortSignal.any([timeout, signal]) : timeout;
  try {
    return await slots.take(tenant, connection, endSignal);
  } catch (error) {
    throw timeout.aborted && !signal?.aborted ? outOfTime() : error;
  }
}
