import type { Logger } from "@factory/runtime/telemetry/logger";
import { CircuitBreakers } from "../../ground/egress/circuit-breakers.js";
import { LanePlaces } from "../../ground/egress/lane-places.js";
import { OriginSlots } from "../../ground/egress/origin-slots.js";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { DeliveryVerdict } from "./delivery-verdict.js";
import type { Entry } from "./due-lanes.js";
import { LanePaces } from "./lane-paces.js";
import type { MessageClaims } from "./message-claims.js";

const silent = new Set(["Timeout", "ConnectFailed", "TlsFailed", "ConnectionReset", "ProtocolError"]);

/**
 * Which lanes may send: the slots for an origin and a tenant, a path's places, the circuit breakers, and the pace that
 * a subscription asks for. A message that was let in takes a slot and a place until `free`.
 */
export class LaneAdmission {
  readonly paces = new LanePaces();
  readonly #slots = new OriginSlots();
  readonly #places = new LanePlaces();
  readonly #breakers = new CircuitBreakers();
  readonly #claims: MessageClaims;
  readonly #logger: Logger;

  constructor(claims: MessageClaims, logger: Logger) {
    this.#claims = claims;
    this.#logger = logger;
  }

  /** Learns the breakers that processes before this one have opened. */
  async restore(): Promise<void> {
    const now = performance.now();
    for (const { lane, openings, pausedForMs } of await this.#claims.openBreakers())
      this.#breakers.learn(lane, openings, now + pausedForMs);
  }

  hasRoomFor(tenant: string): boolean {
    return this.#slots.hasRoomFor(tenant);
  }

  pausedUntil(lane: WebhookLane): number {
    return this.#breakers.pausedUntil(lane);
  }

  /** Whether the lane may send one message as a probe. */
  isProbed(lane: WebhookLane): boolean {
    return this.#breakers.isOpen(lane);
  }

  enter(lane: WebhookLane): Entry {
    if (this.#breakers.isOpen(lane) && this.#slots.heldByOrigin(lane) > 0) return "full";
    const now = performance.now();
    if (!this.#places.hasRoomFor(lane, now)) return "later";
    if (!this.#slots.take(lane)) return "full";
    this.#places.take(lane, now);
    this.paces.reserve(lane);
    return "entered";
  }

  free(lane: WebhookLane, messages: number): void {
    this.#slots.free(lane, messages);
    this.#places.free(lane, messages);
  }

  /** Begins an attempt. Returns the function that ends it. */
  begin(lane: WebhookLane): () => void {
    return this.#places.begin(lane, performance.now());
  }

  tidy(now: number): void {
    this.#breakers.tidy(now);
    this.#places.tidy(now);
  }

  /**
   * Learns from an attempt's outcome. An attempt that was not sent does not count. The returned work stores a breaker's
   * change for other processes.
   */
  learn(lane: WebhookLane, verdict: DeliveryVerdict, probe: boolean): Promise<void> | undefined {
    const isSilent = verdict.statusCode === null && silent.has(verdict.failure ?? "");
    if (isSilent || verdict.statusCode !== null) this.#places.ended(lane, !isSilent);
    if (verdict.statusCode !== null)
      return this.#breakers.answered(lane) ? this.#claims.forgetOpening(lane) : undefined;
    if (!isSilent || this.#isOfPath(lane, verdict)) return undefined;
    const opening = this.#breakers.unanswered(lane, probe, performance.now());
    if (!opening) return undefined;
    this.#logger.info(
      { tenant: lane.tenant, origin: lane.origin, ...opening },
      "a webhook receiver does not answer, so its messages pause",
    );
    return this.#claims.keepOpening(lane, opening);
  }

  /** Whether only one path fails, while others on its host answer. An origin's pause holds for all its paths. */
  #isOfPath(lane: WebhookLane, { failure }: DeliveryVerdict): boolean {
    return failure === "Timeout" && this.#places.hasAnsweringOther(lane);
  }
}
