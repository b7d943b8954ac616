import type pg from "pg";
import type { Turn } from "../db/leader-election.js";
import { type Drained, DrainLoop } from "../loops/drain-loop.js";
import { auditRecordType } from "../messages/audit-record.js";
import type { Logger } from "../telemetry/logger.js";
import { type Consumer, ConsumerLog, type Kept, type NextMessage, type Read } from "./consumer-log.js";
import { type BusPauses, GroupHealth, isPassing, reasonOf, type Verdict, verdictOn } from "./failure.js";
import { type HeldMessage, HeldMessages, type Tried } from "./held-messages.js";

/** So many messages may be held for a tenant. Further ones become dead letters. */
const maxHeldPerTenant = 1000;
const triedAtOnce = 4;

type Outcome = { readonly error: unknown } | undefined;

interface Failed {
  readonly tenant: string;
  readonly messages: readonly NextMessage[];
  readonly error: unknown;
}

/**
 * One consumer group in this process. It reads the log in batches. A batch that throws is repeated for each tenant alone.
 * Messages that still fail are held, and a second loop repeats them one by one, with different keys in parallel.
 */
export class ConsumerGroup {
  readonly #consumer: Consumer;
  readonly #turn: Turn;
  readonly #logger: Logger;
  readonly #pauses: BusPauses;
  readonly #log: ConsumerLog;
  readonly #held: HeldMessages;
  readonly #fortunes = new GroupHealth();
  readonly #passing: DrainLoop;
  readonly #retrying: DrainLoop;
  #notBefore = 0;
  #stopping = false;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: { pool: pg.Pool; consumer: Consumer; turn: Turn; logger: Logger; pauses: BusPauses }) {
    this.#consumer = options.consumer;
    this.#turn = options.turn;
    this.#logger = options.logger;
    this.#pauses = options.pauses;
    this.#log = new ConsumerLog(options.pool, options.consumer);
    this.#held = new HeldMessages(options.pool, options.consumer.group);
    const { group } = options.consumer;
    this.#passing = new DrainLoop(`consumer ${group}`, () => this.#inTurn(() => this.#pass()), options.logger);
    this.#retrying = new DrainLoop(`held messages ${group}`, () => this.#inTurn(() => this.#retry()), options.logger);
  }

  start(): void {
    this.#passing.wake();
    this.#retrying.wake();
  }

  /** A wake-up's payload names the published types; it may be empty. */
  wake(publishedTypes: string | undefined): void {
    const { types } = this.#consumer;
    const woken = publishedTypes ? publishedTypes.split(" ") : undefined;
    const isWanted = (type: string) =>
      types ? types.some((wantedType) => wantedType === type) : type !== auditRecordType;
    if (woken && !woken.some(isWanted)) return;
    if (this.#consumer.kind === "audit")
      this.#gathering ??= setTimeout(() => this.#passGathered(), this.#pauses.gathering).unref();
    else this.#passing.wake();
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#gathering);
    await Promise.all([this.#passing.stop(), this.#retrying.stop()]);
    await this.#turn.give().catch(() => undefined);
  }

  #passGathered(): void {
    this.#gathering = undefined;
    this.#passing.wake();
  }

  async #inTurn(work: () => Promise<Drained>): Promise<Drained> {
    try {
      return (await this.#turn.take()) ? await work() : "empty";
    } catch (error) {
      // Another process may be able to reach what this one cannot.
      await this.#turn.give().catch(() => undefined);
      throw error;
    }
  }

  async #pass(): Promise<Drained> {
    const waitMs = this.#notBefore - performance.now();
    if (waitMs > 0) return waitMs;
    const batch = await this.#log.next();
    if (batch.to === undefined) return "empty";
    const keptMessages = await this.#consume(batch.messages);
    if (!keptMessages) {
      this.#notBefore = performance.now() + this.#pauses.standstill;
      return this.#pauses.standstill;
    }
    if (!this.#turn.held) return "more";
    await this.#log.advance(batch, keptMessages);
    const parkedPositions = new Set(
      keptMessages.flatMap(({ position, parked: isParked }) => (isParked ? [position] : [])),
    );
    for (const message of batch.messages) if (parkedPositions.has(message.position)) this.#tellParked(message);
    if (keptMessages.length > parkedPositions.size) this.#retrying.wake();
    return batch.full ? "more" : "empty";
  }

  /** The messages to hold or to park before the group continues; undefined when the group must wait at its position. */
  async #consume(messages: readonly NextMessage[]): Promise<Kept[] | undefined> {
    const free = messages.filter(({ keyHeld }) => !keyHeld);
    const { failed, succeeded } = await this.#handle(free);
    const everybody = failed.length > 1 && !succeeded && failed.every(({ error }) => isPassing(error));
    if (everybody) return undefined;
    const keptByPosition = new Map<string, Kept>();
    for (const failure of failed)
      for (const { position } of failure.messages) keptByPosition.set(position, this.#keep(position, failure));
    for (const { position, keyHeld } of messages)
      if (keyHeld) keptByPosition.set(position, { position, parked: false, attempts: 0, delayMs: 0, error: null });
    return this.#bounded(messages, keptByPosition);
  }

  /**
   * Handles a batch at once, and by tenant when that throws. A tenant with held messages is handled alone from the
   * beginning.
   */
  async #handle(messages: readonly NextMessage[]): Promise<{ failed: Failed[]; succeeded: boolean }> {
    const others = messages.filter(({ tenantHeld }) => tenantHeld === 0);
    const suspects = byTenant(messages.filter(({ tenantHeld }) => tenantHeld > 0));
    const failures: Failed[] = [];
    let someSucceeded = false;
    const note = (tenant: string, tenantMessages: readonly NextMessage[], outcome: Outcome) => {
      if (!outcome) someSucceeded = true;
      else failures.push({ tenant, messages: tenantMessages, error: outcome.error });
    };
    const together = others.length > 0 ? await this.#attempt(others) : undefined;
    const tenants = byTenant(others);
    const [only] = tenants;
    if (only && tenants.length === 1) note(...only, together);
    else if (together)
      for (const [tenant, tenantMessages] of tenants) note(tenant, tenantMessages, await this.#attempt(tenantMessages));
    else someSucceeded = tenants.length > 0;
    for (const [tenant, tenantMessages] of suspects) note(tenant, tenantMessages, await this.#attempt(tenantMessages));
    for (const { tenant, error } of failures) this.#fortunes.failed(tenant, error);
    return { failed: failures, succeeded: someSucceeded };
  }

  #keep(position: string, { tenant, messages, error }: Failed): Kept {
    // Messages are repeated one by one to find the one that failed.
    if (messages.length > 1) return { position, parked: false, attempts: 0, delayMs: 0, error: reasonOf(error) };
    const general = this.#fortunes.othersFail(tenant);
    return {
      position,
      attempts: 0,
      delayMs: 0,
      ...verdictOn(error, { attempts: 0, waitedMs: 0, general }, this.#pauses),
    };
  }

  /** Parks a message when the tenant has too many held messages, unless all tenants wait for the same outage. */
  #bounded(messages: readonly NextMessage[], keptByPosition: ReadonlyMap<string, Kept>): Kept[] | undefined {
    const room = new Map<string, number>();
    const keptMessages: Kept[] = [];
    for (const { position, tenant, tenantHeld } of messages) {
      const candidate = keptByPosition.get(position);
      if (!candidate) continue;
      const roomLeft = room.get(tenant) ?? maxHeldPerTenant - tenantHeld;
      if (candidate.parked || roomLeft > 0) keptMessages.push(candidate);
      else if (this.#fortunes.outage) return undefined;
      else
        keptMessages.push({
          ...candidate,
          parked: true,
          error: `${maxHeldPerTenant} messages of this tenant are held already`,
        });
      if (!candidate.parked) room.set(tenant, roomLeft - 1);
    }
    return keptMessages;
  }

  async #retry(): Promise<Drained> {
    const { messages, nextMs } = await this.#held.due();
    const queues = byTenant(messages).map(([, tenantMessages]) => tenantMessages);
    const attempts: Tried[] = [];
    const work = async () => {
      for (let queue = queues.shift(); queue; queue = queues.shift())
        for (const message of queue)
          if (this.#turn.held && !this.#stopping) attempts.push(...(await this.#again(message)));
    };
    await Promise.all(Array.from({ length: triedAtOnce }, work));
    if (attempts.length === 0) return nextMs ?? "empty";
    await this.#held.settle(attempts);
    return "more";
  }

  async #again(message: HeldMessage): Promise<Tried[]> {
    const { position } = message;
    const verdict = await this.#verdictOn(message);
    return [{ position, verdict }, ...(verdict ? [] : await this.#catchUp(message))];
  }

  /**
   * Handles the messages behind one that was handled at once, because one by one they would never catch up with a busy
   * tenant. When that throws, they are tried one by one.
   */
  async #catchUp(message: HeldMessage): Promise<Tried[]> {
    const messages = await this.#held.behind(message);
    if (messages.length === 0 || (await this.#attempt(messages))) return [];
    return messages.map(({ position }) => ({ position, verdict: undefined }));
  }

  async #verdictOn(message: HeldMessage): Promise<Verdict | undefined> {
    const { tenant, attempts, waitedMs } = message;
    const outcome = await this.#attempt([message], attempts);
    if (!outcome) return undefined;
    this.#fortunes.failed(tenant, outcome.error);
    const general = this.#fortunes.othersFail(tenant);
    const verdict = verdictOn(outcome.error, { attempts, waitedMs, general }, this.#pauses);
    if (verdict.parked) this.#tellParked(message);
    return verdict;
  }

  #tellParked({ position, envelope, tenant }: Read & { tenant: string }): void {
    this.#logger.error(
      { consumer: this.#consumer.group, position, messageId: envelope.id, tenantId: tenant },
      "message parked as a dead letter",
    );
  }

  async #attempt(messages: readonly Read[], attempts = 0): Promise<Outcome> {
    try {
      await this.#consumer.handle(messages);
      this.#fortunes.succeeded();
      return undefined;
    } catch (error) {
      const messageId = messages[0]?.envelope.id;
      const { group: consumer } = this.#consumer;
      this.#logger.warn(
        { err: error, consumer, messageId, messages: messages.length, attempts },
        "messages could not be consumed and are tried again",
      );
      return { error };
    }
  }
}

function byTenant<M extends { readonly tenant: string }>(messages: readonly M[]): [string, M[]][] {
  const tenants = new Map<string, M[]>();
  for (const message of messages) {
    const tenantMessages = tenants.get(message.tenant);
    if (tenantMessages) tenantMessages.push(message);
    else tenants.set(message.tenant, [message]);
  }
  return [...tenants];
}
