import { setTimeout as sleep } from "node:timers/promises";
import { type Drained, DrainLoop } from "@factory/runtime/db/drain-loop";
import type { WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { AttemptRecords } from "./attempt-records.js";
import { AttemptSlots } from "./attempt-slots.js";
import { CircuitBreakers } from "./circuit-breakers.js";
import type { DeliveryTarget, DeliveryTargets } from "./delivery-target.js";
import { DueLanes, type Gate } from "./due-lanes.js";
import { type AttemptSettings, type MadeAttempt, makeAttempt } from "./make-attempt.js";
import type { ClaimedMessage, MessageClaims } from "./message-claims.js";

export interface DispatcherSettings extends AttemptSettings {
  readonly claims: MessageClaims;
  readonly targets: DeliveryTargets;
  readonly records: AttemptRecords;
}

const lookIntervalMs = 1000;
/** A look that takes long is followed by a pause fifty times as long: looking costs 2 % at most. */
const lookRest = 50;
const lanesPerLook = 256;
/** Retries that are due sooner have a timer; the others are found by a look. */
const timerHorizonMs = 60_000;
/** For answers that are on their way when the process stops. */
const stopPatienceMs = 3000;
/** Outcomes that are not written yet: a database that is slow slows the sending down. */
const mostUnwritten = 512;

const silent = new Set(["Timeout", "ConnectFailed", "TlsFailed", "ConnectionReset", "ProtocolError"]);

/**
 * Sends the webhook messages that are due, at least once and with the same webhook-id each time: claims them in batches,
 * sends each over a socket of its own without a transaction, and has the outcomes written in batches.
 *
 * It is woken by the code that makes messages in this process, by timers for what it put off itself, and looks at the table
 * once a second for what else is due: after a start, or after another process has died. What limits one receiver, one
 * tenant or all of them stands in `webhook-places.ts` and `webhook-breakers.ts`; limits of a lane belong into its gate.
 */
export class WebhookDispatcher {
  readonly #settings: DispatcherSettings;
  readonly #loop: DrainLoop;
  readonly #lanes = new DueLanes();
  readonly #places = new AttemptSlots();
  readonly #breakers = new CircuitBreakers();
  readonly #gate: Gate;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  readonly #interrupted: { lane: WebhookLane; message: ClaimedMessage }[] = [];
  #unwritten = 0;
  #lookAt = 0;
  #restAfterLook = lookIntervalMs;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(settings: DispatcherSettings) {
    this.#settings = settings;
    this.#loop = new DrainLoop(() => this.#drain(), settings.logger);
    this.#gate = {
      openFor: (tenant) => this.#unwritten < mostUnwritten && this.#places.openFor(tenant),
      pausedUntil: (lane) => this.#breakers.pausedUntil(lane),
      enter: (lane) => (!this.#breakers.isOpen(lane) || this.#places.heldBy(lane) === 0) && this.#places.take(lane),
    };
  }

  async start(): Promise<void> {
    const now = performance.now();
    for (const { lane, openings, pausedForMs } of await this.#settings.claims.openBreakers())
      this.#breakers.learn(lane, openings, now + pausedForMs);
    this.#loop.wake();
  }

  wake(lanes: readonly WebhookLane[]): void {
    for (const lane of lanes) this.#lanes.add(lane);
    this.#loop.wake();
  }

  /** Attempts that are not answered within some seconds are ended and due again at once; they do not count. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#loop.stop();
    await Promise.race([this.#settled(), sleep(stopPatienceMs, undefined, { ref: false })]);
    this.#settings.records.stop();
    this.#stopping.abort(new Error("the process stops"));
    await this.#settled();
    await this.#settings.claims.giveBack(this.#interrupted).catch((error: unknown) => {
      this.#settings.logger.warn({ err: error }, "webhook messages not given back, due again when their claims end");
    });
  }

  async #settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #drain(): Promise<Drained> {
    if (performance.now() >= this.#lookAt) await this.#look();
    while (!this.#stopped) {
      const now = performance.now();
      this.#lanes.ripen(now);
      const shares = this.#lanes.share(this.#gate, now);
      if (shares.length === 0) break;
      const rooms = new Map(shares.map(({ lane, room }) => [lane, room]));
      // read while the messages are claimed, so that the two do not wait for each other
      const targets = new Map(shares.map(({ lane }) => [lane, this.#settings.targets.of(lane)]));
      for (const target of targets.values()) target.catch(() => undefined);
      try {
        for (const [lane, messages] of await this.#settings.claims.claim(shares)) {
          const room = rooms.get(lane) ?? 0;
          rooms.delete(lane);
          this.#places.free(lane, room - messages.length);
          if (messages.length === room) this.#lanes.add(lane);
          if (messages.length > 0) this.#follow(this.#deliver(lane, messages, targets.get(lane)));
        }
      } finally {
        // the claim failed: what is due is not known
        for (const [lane, room] of rooms) {
          this.#places.free(lane, room);
          this.#lanes.add(lane);
        }
      }
    }
    this.#arm();
    return "empty";
  }

  async #look(): Promise<void> {
    const { claims } = this.#settings;
    const started = performance.now();
    const horizonMs = Math.max(2 * lookIntervalMs, this.#restAfterLook * 2);
    const found = await claims.look(horizonMs, lanesPerLook);
    const now = performance.now();
    for (const { lane, dueInMs } of found) {
      if (dueInMs <= 0) this.#lanes.add(lane);
      else this.#lanes.addAt(lane, now + dueInMs);
    }
    this.#restAfterLook = Math.max(lookIntervalMs, (now - started) * lookRest);
    // a timer may be a moment early
    this.#lookAt = now + this.#restAfterLook - 10;
    this.#breakers.tidy(now);
  }

  /** The loop itself looks once a second; this is for what is due sooner. */
  #arm(): void {
    clearTimeout(this.#timer);
    const inMs = this.#lanes.earliest - performance.now();
    if (this.#stopped || inMs > lookIntervalMs) return;
    this.#timer = setTimeout(() => this.#loop.wake(), Math.max(1, Math.ceil(inMs))).unref();
  }

  #follow(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #deliver(
    lane: WebhookLane,
    messages: readonly ClaimedMessage[],
    targetOfLane: Promise<DeliveryTarget | undefined> | undefined,
  ): Promise<void> {
    const { records } = this.#settings;
    // a probe lets one message through, all others are sent side by side
    const probe = this.#breakers.isOpen(lane);
    try {
      const target = await targetOfLane;
      if (target) {
        for (const message of messages) this.#follow(this.#attempt({ lane, target, probe }, message));
        return;
      }
      if (await records.skip(lane, messages)) this.#lanes.add(lane);
    } catch (error) {
      this.#warn(error, "webhook messages not sent, due again when their claims end");
    }
    this.#leave(lane, messages.length);
  }

  /** The place is free when the receiver has answered, before that is written down. */
  async #attempt(
    { lane, target, probe }: { lane: WebhookLane; target: DeliveryTarget; probe: boolean },
    message: ClaimedMessage,
  ): Promise<void> {
    const { records } = this.#settings;
    const made = await this.#send(target, message);
    if (made === "interrupted") this.#interrupted.push({ lane, message });
    else if (made) this.#learn(lane, made, probe);
    this.#unwritten += 1;
    this.#leave(lane, 1);
    try {
      if (made === undefined) await records.skipWithoutEvent(lane, message);
      else if (made !== "interrupted") {
        await records.add({ ...made, lane, failing: target.failing, probe });
        if (made.delayMs !== null && made.delayMs <= timerHorizonMs)
          this.#lanes.addAt(lane, performance.now() + made.delayMs);
      }
    } catch (error) {
      this.#warn(error, "outcome of a webhook message not written, due again when its claim ends");
    }
    this.#unwritten -= 1;
    if (this.#lanes.any || this.#lanes.earliest < performance.now() + lookIntervalMs) this.#loop.wake();
  }

  /** Undefined: the event is gone, and there is nothing to send. */
  async #send(target: DeliveryTarget, message: ClaimedMessage): Promise<MadeAttempt | "interrupted" | undefined> {
    const { envelope } = message;
    if (!envelope) return undefined;
    return (await makeAttempt(this.#settings, { target, message, envelope }, this.#stopping.signal)) ?? "interrupted";
  }

  #warn(error: unknown, what: string): void {
    this.#settings.logger.warn({ err: error }, what);
  }

  /** What an attempt says about its receiver's breaker. What was never sent says nothing. */
  #learn(lane: WebhookLane, { verdict }: MadeAttempt, probe: boolean): void {
    const { claims, logger } = this.#settings;
    const keep = (work: Promise<void>) => {
      this.#follow(work.catch((error: unknown) => this.#warn(error, "state of a webhook breaker not kept")));
    };
    if (verdict.statusCode !== null) {
      if (this.#breakers.answered(lane)) keep(claims.forgetOpening(lane));
    } else if (silent.has(verdict.failure ?? "")) {
      const opening = this.#breakers.unanswered(lane, probe, performance.now());
      if (!opening) return;
      logger.info({ tenant: lane.tenant, origin: lane.origin, ...opening }, "webhook receiver does not answer, paused");
      keep(claims.keepOpening(lane, opening));
    }
  }

  #leave(lane: WebhookLane, places: number): void {
    this.#places.free(lane, places);
    if (this.#lanes.any) this.#loop.wake();
  }
}
