import { randomUUID } from "node:crypto";
import { subgraphNames } from "@factory/schema/subgraph-names";
import fc from "fast-check";
import pg from "pg";
import type { BusPublisher } from "../bus/bus.js";
import { PostgresBus } from "../bus/postgres-bus.js";
import { Listener } from "../connections/listener.js";
import { advisoryLocks } from "../db/advisory-locks.js";
import { Turns } from "../db/leader-election.js";
import { DatabaseUnavailable } from "../errors/database-failure.js";
import type { Message } from "../messages/envelope.js";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { continueTrace } from "../telemetry/trace.js";
import type { Tenant } from "../tenancy/tenant.js";
import {
  aDatabaseServer,
  aTenant,
  noteTable,
  quiet,
  type TestDatabase,
  until,
} from "../unit-of-work/database.fixture.js";
import { Database, type Transaction } from "../unit-of-work/database.js";
import { type CountedWay, countedWay } from "../unit-of-work/round-trips.fixture.js";
import { OutboxRelay } from "./relay.js";

const cause = { trace: continueTrace(undefined) };

/** A bus that remembers what it was given, each message once, as every bus does. */
class RememberingBus implements BusPublisher {
  readonly messages = new Map<string, Message>();
  readonly batches: number[] = [];
  refusal: Error | undefined;

  async publish(messages: readonly Message[]): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.batches.push(messages.length);
    for (const message of messages) if (!this.messages.has(message.id)) this.messages.set(message.id, message);
  }

  of(subject: string): unknown[] {
    return [...this.messages.values()].flatMap((message) =>
      message.messagekind === "event" && message.subject === subject ? [message.data["turn"]] : [],
    );
  }
}

describe("the outbox relay", () => {
  let test: TestDatabase;
  let admin: pg.Client;
  let listener: Listener;
  let bus: RememberingBus;
  const relays: Pick<OutboxRelay, "stop">[] = [];

  beforeAll(async () => {
    test = await aDatabaseServer();
    admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    listener = new Listener(test.definition.connections.worker, quiet);
    await listener.start();
  });
  afterAll(async () => {
    await listener.close();
    await admin.end();
    await test.close();
  });
  beforeEach(() => {
    bus = new RememberingBus();
  });
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    await admin.query("delete from catalog.outbox");
  });

  const aRelay = async (workerUrl = test.definition.connections.worker, logger = quiet, to: BusPublisher = bus) => {
    const turns = new Turns(workerUrl, logger);
    const relay = new OutboxRelay({ workerUrl, schema: "catalog", bus: to, turns, logger });
    relays.push({
      async stop() {
        await relay.stop();
        await turns.close();
      },
    });
    await relay.start(listener);
    return relay;
  };
  const tell = (subject: string, turn = 1) =>
    test.database.transaction(aTenant(), cause, async ({ record }) => {
      record({ type: "TemplateRegistered", subject, data: { turn } });
    });
  /** On a busy machine a transaction may be refused because no connection became free. Then it did nothing. */
  const patiently = async (tenant: Tenant, work: (transaction: Transaction) => Promise<void>): Promise<void> => {
    try {
      await test.database.transaction(tenant, cause, work);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      await patiently(tenant, work);
    }
  };
  /** Somebody's transaction that stays open, with its own id. */
  const anOpenTransaction = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    return client;
  };
  const ofOtherDatabase = () => Object.assign(new URL(test.url), { pathname: "/elsewhere" }).href;

  it("loses nothing and keeps the order of each aggregate, whatever transactions take first and however long they are", async () => {
    await admin.query("create database elsewhere");
    const elsewhere = await anOpenTransaction(ofOtherDatabase());
    await aRelay();
    const turns = fc.array(
      fc.record({
        aggregates: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 2 }),
        pauseBeforeLockMs: fc.constantFrom(0, 0, 3, 20),
        pauseAfterLockMs: fc.constantFrom(0, 0, 3, 40),
      }),
      { minLength: 12, maxLength: 30 },
    );
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await fc.assert(
      fc.asyncProperty(turns, async (plannedTurns) => {
        const tenant = aTenant();
        const aggregates = Array.from({ length: 4 }, () => randomUUID());
        await test.database.transaction(tenant, cause, async ({ em }) => {
          for (const noteId of aggregates)
            em.persist(em.create(noteTable, { tenantId: tenant.uuid, noteId, text: "0" }));
        });
        await Promise.all(
          plannedTurns.map(({ aggregates: touchedPlaces, pauseBeforeLockMs, pauseAfterLockMs }) =>
            patiently(tenant, async ({ execute, record }) => {
              // as a claim for an idempotency key does: the id first, the aggregate's row later
              await execute("select pg_current_xact_id()");
              await pause(pauseBeforeLockMs);
              for (const place of touchedPlaces.toSorted((first, other) => first - other)) {
                const noteId = aggregates[place];
                const [row] = await execute<{ text: string }>(
                  "update notes set text = (text::int + 1)::text where tenant_id = $1 and note_id = $2 returning text",
                  [tenant.uuid, noteId],
                );
                record({ type: "TemplateRegistered", subject: `notes/${noteId}`, data: { turn: Number(row?.text) } });
              }
              await pause(pauseAfterLockMs);
            }),
          ),
        );
        const turnCounts = aggregates.map(
          (_, place) => plannedTurns.filter((turn) => turn.aggregates.includes(place)).length,
        );
        const turnsOnBus = () => aggregates.map((noteId) => bus.of(`notes/${noteId}`));
        await until(() => turnsOnBus().every((turnsSeen, place) => turnsSeen.length >= (turnCounts[place] ?? 0)));
        expect(turnsOnBus()).toEqual(turnCounts.map((count) => Array.from({ length: count }, (_, index) => index + 1)));
      }),
      { numRuns: 15, endOnFailure: true },
    );
    await elsewhere.end();
  });

  it("publishes past a transaction that stays open, and what that one wrote when it is committed", async () => {
    const relay = await aRelay();
    const open = await anOpenTransaction(test.url);
    let end: () => void = () => undefined;
    const long = new Promise<void>((resolve) => {
      end = resolve;
    });
    const late = test.database.transaction(aTenant(), cause, async ({ record, execute }) => {
      record({ type: "TemplateRegistered", subject: "templates/late", data: {} });
      await execute("select nextval('outbox_seq_seq')");
      await long;
    });
    for (let turn = 1; turn <= 5; turn += 1) await tell("templates/other", turn);
    relay.wake();
    await until(() => bus.of("templates/other").length === 5);
    expect(bus.of("templates/late")).toEqual([]);
    end();
    await late;
    relay.wake();
    await until(() => bus.messages.size === 6);
    await open.end();
  });

  it("hands its turn over when its connection is gone, and meanwhile is told what others wrote", async () => {
    const otherBus = new RememberingBus();
    const first = await aRelay();
    await tell("templates/first");
    first.wake();
    await until(() => bus.messages.size === 1);
    const second = await aRelay(undefined, quiet, otherBus);
    await tell("templates/second");
    second.wake();
    await until(() => bus.messages.size === 2);
    expect(otherBus.messages.size).toBe(0);
    bus.refusal = new Error("this process reaches no bus");
    await tell("templates/third");
    first.wake();
    await until(() => otherBus.messages.size === 1);
    // as when that process dies
    bus.refusal = undefined;
    await admin.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = ${advisoryLocks.outboxRelay} and granted`,
    );
    await tell("templates/fourth");
    await until(() => bus.messages.size + otherBus.messages.size === 4);
  });

  it("publishes nothing more once its turn is lost", async () => {
    const relay = await aRelay();
    await tell("templates/kept");
    relay.wake();
    await until(() => bus.messages.size === 1);
    const lockHolder = new pg.Client({ connectionString: test.url });
    await lockHolder.connect();
    const lock = `${advisoryLocks.outboxRelay}, hashtext('catalog')`;
    await admin.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = ${advisoryLocks.outboxRelay} and granted`,
    );
    await lockHolder.query(`select pg_advisory_lock(${lock})`);
    await tell("templates/waits");
    relay.wake();
    await until(() => relay.lagSeconds() > 0);
    expect(bus.messages.size).toBe(1);
    await lockHolder.end();
    await until(() => bus.messages.size === 2);
  });

  it("says how long the oldest message has waited, and warns", async () => {
    const lines: string[] = [];
    bus.refusal = new Error("the bus is away");
    const relay = await aRelay(undefined, keepingLogger(lines));
    expect(relay.lagSeconds()).toBe(0);
    await tell("templates/waiting");
    await admin.query(
      `update catalog.outbox set envelope = jsonb_set(envelope::jsonb, '{time}', to_jsonb(now() - interval '1 minute'))`,
    );
    relay.wake();
    await until(() => relay.lagSeconds() > 59);
    await until(() => lines.some((line) => line.includes("messages wait in the outbox for too long")));
    bus.refusal = undefined;
    await until(() => relay.lagSeconds() === 0);
  });

  describe("round trips", () => {
    let way: CountedWay;
    beforeAll(async () => {
      way = await countedWay(test.definition.connections.worker);
    });
    afterAll(() => way.close());

    it("are two for a batch of any size", async () => {
      const untold = await Database.open(test.definition, quiet, { wake: () => undefined });
      const relay = await aRelay(way.url);
      const write = (turn: number) =>
        untold.transaction(aTenant(), cause, async ({ record }) => {
          record({ type: "TemplateRegistered", subject: "templates/counted", data: { turn } });
        });
      await write(0);
      relay.wake();
      await until(() => bus.messages.size === 1);
      const counts: number[] = [];
      // the relay also looks once a second: such a look adds a round trip to some rounds, and takes none from any
      for (let round = 0; round < 200 && counts.at(-1) !== 2; round += 1) {
        const isPublished = async () =>
          (await admin.query("select from catalog.outbox where published_at is null")).rows.length === 0;
        await until(isPublished);
        way.count();
        await Promise.all(Array.from({ length: 20 }, (_, turn) => write(turn)));
        relay.wake();
        await until(isPublished);
        counts.push(way.count());
      }
      expect(Math.min(...counts)).toBe(2);
      expect(bus.messages.size).toBe(1 + 20 * counts.length);
      await untold.close();
    });
  });

  describe("with the bus in its own database", () => {
    let postgresBus: PostgresBus;
    beforeAll(async () => {
      postgresBus = await PostgresBus.open(test.definition.connections.worker, quiet);
    });
    afterAll(() => postgresBus.close());

    const onBus = async () =>
      (
        await admin.query<{ subject: string; turn: number }>(
          `select envelope->>'subject' as subject, (envelope->'data'->>'turn')::int as turn from bus.messages
           order by position`,
        )
      ).rows;

    it("moves messages in their order and once, also those that were on the bus already", async () => {
      await admin.query("delete from bus.messages");
      for (let turn = 1; turn <= 5; turn += 1) await tell("templates/moved", turn);
      await admin.query(
        `insert into bus.messages (event_id, type, envelope) select envelope->>'id', type, envelope from catalog.outbox
         where (envelope->'data'->>'turn')::int = 3`,
      );
      const heard: string[] = [];
      const end = await postgresBus.subscribe({
        group: "relay-test",
        handle: async (messages) => void heard.push(...messages.map(({ envelope }) => envelope.id)),
      });
      const relay = await aRelay(undefined, quiet, postgresBus);
      await until(() => heard.length === 5);
      expect((await onBus()).map(({ turn }) => turn)).toEqual([3, 1, 2, 4, 5]);
      expect((await admin.query("select from catalog.outbox where published_at is null")).rows).toEqual([]);
      expect(relay.lagSeconds()).toBe(0);
      await end();
    });

    it("needs one round trip for a batch, and more than one batch is moved", async () => {
      await admin.query("delete from bus.messages");
      const way = await countedWay(test.definition.connections.worker);
      const statement = postgresBus.outboxMove(test.definition.connections.worker);
      const relay = await aRelay(way.url, quiet, {
        publish: () => Promise.reject(new Error()),
        outboxMove: () => statement,
      });
      const isPublished = async () =>
        (await admin.query("select from catalog.outbox where published_at is null")).rows.length === 0;
      const counts: number[] = [];
      // the relay also looks once a second: such a look adds a round trip to some rounds, and takes none from any
      for (let round = 0; round < 200 && counts.at(-1) !== 3; round += 1) {
        await until(isPublished);
        way.count();
        await admin.query(
          `insert into catalog.outbox (id, tenant_id, type, envelope)
           select gen_random_uuid(), gen_random_uuid(), 'TemplateRegistered', jsonb_build_object('id', gen_random_uuid(),
             'time', now(), 'type', 'TemplateRegistered') from generate_series(1, 450)`,
        );
        relay.wake();
        await until(isPublished);
        counts.push(way.count());
      }
      expect(Math.min(...counts)).toBe(3);
      expect((await onBus()).length).toBe(counts.length * 450);
      way.close();
    });

    it("tells the age of what waits while the bus takes nothing", async () => {
      await admin.query("alter table bus.messages add constraint broken check (type = '') not valid");
      const relay = await aRelay(undefined, quiet, postgresBus);
      await tell("templates/waiting");
      await admin.query(
        `update catalog.outbox set envelope = jsonb_set(envelope::jsonb, '{time}', to_jsonb(now() - interval '1 minute'))`,
      );
      relay.wake();
      await until(() => relay.lagSeconds() > 59);
      await admin.query("alter table bus.messages drop constraint broken");
      relay.wake();
      await until(() => relay.lagSeconds() === 0);
    });
  });

  it("ends, in every role of ours, a transaction that does nothing", async () => {
    const { rows } = await admin.query<{ rolname: string }>(
      `select rolname from pg_roles where 'idle_in_transaction_session_timeout=10s' = any(rolconfig) order by rolname`,
    );
    expect(rows.map(({ rolname }) => rolname)).toEqual(
      subgraphNames.flatMap((name) => [`suites_${name}_app`, `suites_${name}_owner`, `suites_${name}_worker`]),
    );
  });
});
