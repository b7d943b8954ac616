import { setTimeout as sleep } from "node:timers/promises";
import { type Drained, DrainLoop } from "@factory/runtime/loops/drain-loop";
import type { OrderedKeys, WebhookLane } from "../webhook-messages/webhook-lane.js";
import type { AttemptRecords } from "./attempt-records.js";
import { BacklogTicks } from "./backlog-ticks.js";
import type { DeliveryTarget, DeliveryTargets } from "./delivery-target.js";
import { DueLanes, type Gate } from "./due-lanes.js";
import { KeyReleases } from "./key-releases.js";
import { LaneAdmission } from "./lane-admission.js";
import { LookPace, lookIntervalMs } from "./look-pace.js";
import { type AttemptSettings, type MadeAttempt, makeAttempt } from "./make-attempt.js";
import type { ClaimedMessage, MessageClaims } from "./message-claims.js";

interface DispatcherSettings extends AttemptSettings {
  readonly claims: MessageClaims;
  readonly targets: DeliveryTargets;
  readonly records: AttemptRecords;
}

const lanesPerLook = 256;
/** Retries that are due within this time have a timer. The others are found by a look at the table. */
const timerHorizonMs = 60_000;
/** How long a stop waits for responses. */
const stopPatienceMs = 3000;
/** The limit on results that are not stored yet, so that a slow database slows the sending down. */
const maxUnstored = 512;

/**
 * Sends the webhook messages that are due, at least once and with the same webhook-id each time. It claims them in
 * batches, sends them concurrently without a transaction, and stores the results in batches.
 *
 * It is woken by the service that creates messages in this process and by timers for its own retries. Once a second it
 * looks at the table for other due messages, after a start or after another process has died. `LaneAdmission` has the
 * limits for a receiver and a tenant.
 */
export class WebhookDispatcher {
  readonly #settings: DispatcherSettings;
  readonly #loop: DrainLoop;
  readonly #lanes = new DueLanes();
  readonly #admission: LaneAdmission;
  readonly #backlogs = new BacklogTicks();
  readonly #gate: Gate;
  readonly #stopping = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** Claimed messages that were not sent. They are released, so that nothing waits until their claims end. */
  #unsent: { lane: WebhookLane; message: ClaimedMessage }[] = [];
  readonly #keys: KeyReleases;
  #unstored = 0;
  readonly #lookPace = new LookPace();
  #lookAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(settings: DispatcherSettings) {
    this.#settings = settings;
    this.#keys = new KeyReleases(settings.claims, settings.logger);
    const admission = new LaneAdmission(settings.claims, settings.logger);
    this.#admission = admission;
    this.#loop = new DrainLoop("webhook dispatcher", () => this.#drain(), settings.logger);
    this.#gate = {
      hasRoomFor: (tenant) => this.#unstored < maxUnstored && admission.hasRoomFor(tenant),
      pausedUntil: (lane) => admission.pausedUntil(lane),
      waitsUntil: (lane) =>
        Math.max(this.#backlogs.waitsUntil(lane), admission.paces.waitsUntil(lane, performance.now())),
      enter: (lane) => admission.enter(lane),
    };
  }

  async start(): Promise<void> {
    await this.#admission.restore();
    // A process that died may have ended messages without making their keys' next messages due.
    this.wake([], await this.#settings.claims.strandedKeys());
  }

  wake(lanes: readonly WebhookLane[], laneKeys: readonly OrderedKeys[] = []): void {
    for (const lane of lanes) this.#lanes.add(lane);
    this.#keys.add(...laneKeys);
    this.#loop.wake();
  }

  /**
   * Ends attempts that get no response within some seconds. Their messages are due again at once, and the attempts do
   * not count.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#loop.stop();
    await Promise.race([this.#settled(), sleep(stopPatienceMs, undefined, { ref: false })]);
    this.#settings.records.stop();
    this.#stopping.abort(new Error("The process stops."));
    await this.#settled();
    await this.#settings.claims.giveBack(this.#unsent).catch((error: unknown) => {
      this.#settings.logger.warn(
        { err: error },
        "webhook messages were not released; they are due again when their claims end",
      );
    });
    await this.#keys.releaseAll();
  }

  /**
   * Releases what was announced by work that ends after `stop`. No other process finds a partition key's first message
   * while it has no due time.
   */
  close(): Promise<void> {
    return this.#keys.releaseAll();
  }

  async #settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #drain(): Promise<Drained> {
    if (this.#unsent.length > 0) await this.#giveBack();
    if (performance.now() >= this.#lookAt) await this.#look();
    while (!this.#stopped) {
      const now = performance.now();
      if (this.#keys.any) await this.#release(now);
      this.#lanes.ripen(now);
      const shares = this.#lanes.share(this.#gate, now);
      if (shares.length === 0) break;
      const rooms = new Map(shares.map(({ lane, room }) => [lane, room]));
      // The targets are read while the messages are claimed, so that neither waits for the other.
      const targets = new Map(shares.map(({ lane }) => [lane, this.#settings.targets.of(lane)]));
      for (const target of targets.values()) target.catch(() => undefined);
      try {
        for (const [lane, messages] of await this.#settings.claims.claim(shares)) {
          const room = rooms.get(lane) ?? 0;
          rooms.delete(lane);
          this.#admission.free(lane, room - messages.length);
          if (messages.length === room) this.#lanes.addAt(lane, this.#backlogs.postpone(lane, performance.now()));
          if (messages.length === 0) this.#admission.paces.release(lane);
          if (messages.length > 0) this.#follow(this.#deliver(lane, messages, targets.get(lane)));
        }
      } finally {
        // The claim failed, so it is not known which messages are due.
        for (const [lane, room] of rooms) {
          this.#admission.free(lane, room);
          this.#admission.paces.release(lane);
          this.#lanes.add(lane);
        }
      }
    }
    this.#arm();
    return "empty";
  }

  /** Their lanes come again after a second, since what kept the messages from being sent may last. */
  async #giveBack(): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = [];
    try {
      await this.#settings.claims.giveBack(unsent);
    } catch (error) {
      this.#unsent.push(...unsent);
      throw error;
    }
    for (const { lane } of unsent) this.#lanes.addAt(lane, performance.now() + lookIntervalMs);
  }

  /** The keys in a lane with a backlog wait with it. */
  async #release(now: number): Promise<void> {
    const lanes = await this.#keys.release((lane) => this.#backlogs.waitsUntil(lane) > now);
    for (const lane of lanes) this.#lanes.add(lane);
  }

  async #look(): Promise<void> {
    const { claims } = this.#settings;
    const startMs = performance.now();
    const dueLanes = await claims.look(this.#lookPace.horizonMs, lanesPerLook);
    const now = performance.now();
    for (const { lane, dueInMs } of dueLanes) {
      if (dueInMs <= 0) this.#lanes.add(lane);
      else this.#lanes.addAt(lane, now + dueInMs);
    }
    this.#lookPace.looked(now - startMs);
    // A timer may fire a moment too early.
    this.#lookAt = now + this.#lookPace.restMs - 10;
    this.#admission.tidy(now);
  }

  /** Sets a timer for lanes that are due sooner than the next look, which comes once a second. */
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
    // A probe sends one message. Otherwise all messages are sent concurrently.
    const probe = this.#admission.isProbed(lane);
    try {
      const target = await targetOfLane;
      if (target) {
        const count = await this.#inTurn(lane, messages, target);
        for (const message of messages.slice(0, count)) this.#follow(this.#attempt({ lane, target, probe }, message));
        this.#leave(lane, messages.length - count);
        return;
      }
      this.#admission.paces.release(lane);
      const { skipped, more, keys } = await records.skip(lane, messages);
      if (more) this.#lanes.add(lane);
      if (keys.length > 0) this.#keys.add({ lane, keys });
      // The subscription has become Active again since its state was read.
      if (!skipped) this.#keepUnsent(lane, messages);
    } catch (error) {
      this.#admission.paces.release(lane);
      this.#keepUnsent(lane, messages);
      this.#warn(error, "webhook messages were not sent; they are released and will be claimed again");
    }
    this.#leave(lane, messages.length);
  }

  #keepUnsent(lane: WebhookLane, messages: readonly ClaimedMessage[]): void {
    for (const message of messages) this.#unsent.push({ lane, message });
  }

  /** Returns how many messages may be sent now. The others are released until the lane has its next turn. */
  async #inTurn(
    lane: WebhookLane,
    messages: readonly ClaimedMessage[],
    { pace, held }: DeliveryTarget,
  ): Promise<number> {
    if (!pace) {
      this.#admission.paces.learn(lane, undefined, 0);
      return messages.length;
    }
    const { claims } = this.#settings;
    const { granted, waitMs } = await claims.takeTurns(lane, held ? 0 : messages.length, pace);
    const freeAt = performance.now() + (held ? pace.intervalMs : waitMs);
    this.#admission.paces.learn(lane, pace, freeAt);
    this.#lanes.addAt(lane, freeAt);
    await claims.giveBack(messages.slice(granted).map((message) => ({ lane, message })));
    return granted;
  }

  /** The slot is released when the receiver has responded, before the result is stored. */
  async #attempt(
    { lane, target, probe }: { lane: WebhookLane; target: DeliveryTarget; probe: boolean },
    message: ClaimedMessage,
  ): Promise<void> {
    const end = this.#admission.begin(lane);
    const outcome = await this.#send(target, message).finally(end);
    if (outcome === "interrupted") this.#keepUnsent(lane, [message]);
    else if (outcome) this.#learn(lane, outcome, probe);
    this.#unstored += 1;
    this.#leave(lane, 1);
    try {
      if (outcome === undefined) {
        await this.#settings.records.skipWithoutEvent(lane, message);
        this.wake([lane], message.partitionKey === null ? [] : [{ lane, keys: [message.partitionKey] }]);
      } else if (outcome !== "interrupted") {
        await this.#settings.records.add({ ...outcome, lane, failing: target.failing, warned: target.warned, probe });
        if (message.partitionKey !== null && outcome.delayMs === null)
          this.#keys.add({ lane, keys: [message.partitionKey] });
        if (outcome.delayMs !== null && outcome.delayMs <= timerHorizonMs)
          this.#lanes.addAt(lane, performance.now() + outcome.delayMs);
      }
    } catch (error) {
      this.#warn(error, "the outcome of a webhook message was not recorded; it is due again when its claim ends");
    }
    this.#unstored -= 1;
    if (this.#lanes.any || this.#keys.any || this.#lanes.earliest < performance.now() + lookIntervalMs)
      this.#loop.wake();
  }

  /** Undefined when the event no longer exists, so that there is nothing to send. */
  async #send(target: DeliveryTarget, message: ClaimedMessage): Promise<MadeAttempt | "interrupted" | undefined> {
    const { envelope } = message;
    if (!envelope) return undefined;
    return (await makeAttempt(this.#settings, { target, message, envelope }, this.#stopping.signal)) ?? "interrupted";
  }

  #warn(error: unknown, text: string): void {
    this.#settings.logger.warn({ err: error }, text);
  }

  #learn(lane: WebhookLane, { verdict }: MadeAttempt, probe: boolean): void {
    const storing = this.#admission.learn(lane, verdict, probe);
    if (!storing) return;
    this.#follow(storing.catch((error: unknown) => this.#warn(error, "the state of a webhook breaker was not stored")));
  }

  #leave(lane: WebhookLane, slots: number): void {
    this.#admission.free(lane, slots);
    if (this.#lanes.any || this.#keys.any) this.#loop.wake();
  }
}
