import pg from "pg";
import { Retention } from "../db/retention.js";
import { DomainError } from "../errors/domain-error.js";
import type { AuditRecord } from "../messages/audit-record.js";
import { createCommand } from "../messages/command.js";
import { createAuditRecord } from "../messages/create-audit-record.js";
import { createEvent, type Envelope } from "../messages/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import { aDatabase, aTenant, quiet, type TestDatabase, until } from "../unit-of-work/database.fixture.js";
import { countedWay } from "../unit-of-work/round-trips.fixture.js";
import { UnreadableMessage } from "./bus.js";
import { busRetention } from "./bus-retention.js";
import { busSchema } from "./bus-schema.js";
import { PostgresBus } from "./postgres-bus.js";

const cause = { trace: continueTrace(undefined) };

describe("the bus in PostgreSQL", () => {
  let test: TestDatabase;
  let bus: PostgresBus;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
  });
  afterEach(() => bus.close());

  const envelopes = (count: number, text: string): Envelope[] =>
    Array.from({ length: count }, (_, index) =>
      createEvent(
        { type: "TemplateRegistered", subject: `templates/${text}${index}`, data: {} },
        aTenant().tenantId,
        cause,
      ),
    );

  /** The subjects that a consumer without types sees, if they begin with `templates/<text>`. */
  const follow = async (text: string, group = text) => {
    const subjects: string[] = [];
    await bus.subscribe({
      group,
      handle: async (messages) => {
        for (const { envelope } of messages)
          if (envelope.subject.startsWith(`templates/${text}`)) subjects.push(envelope.subject);
      },
    });
    return subjects;
  };

  it("delivers messages in the order of publication, and each id once", async () => {
    const batch = envelopes(450, "order");
    await bus.publish(batch);
    await bus.publish(batch.slice(0, 10));
    const subjects = await follow("order");
    await until(() => subjects.length >= 450);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(subjects).toEqual(batch.map(({ subject }) => subject));
  });

  it("continues after a restart at the position of the group", async () => {
    const before = await follow("restart");
    await bus.publish(envelopes(3, "restart-a"));
    await until(() => before.length === 3);
    await bus.close();
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
    await bus.publish(envelopes(2, "restart-b"));
    const after = await follow("restart");
    await until(() => after.length === 2);
    expect(after.every((subject) => subject.startsWith("templates/restart-b"))).toBe(true);
  });

  it("counts the messages that a group has not read, by the types that it reads", async () => {
    let letThrough: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await bus.publish(envelopes(3, "unread"));
    await bus.subscribe({ group: "unread", types: ["TemplateRegistered"], handle: () => gate });
    await bus.subscribe({ group: "unread-other", types: ["TemplateArchived"], handle: async () => undefined });
    const waiting = async (group: string) => (await bus.waiting()).find(({ name }) => name === group);
    const behind = await waiting("unread");
    expect(behind).toMatchObject({ kind: "consumer", waiting: expect.any(Number) });
    expect(behind?.waiting).toBeGreaterThanOrEqual(3);
    expect(behind?.oldestSeconds).toBeGreaterThan(0);
    expect(await waiting("unread-other")).toEqual({
      ...{ kind: "consumer", name: "unread-other" },
      ...{ waiting: 0, oldestSeconds: 0 },
    });
    letThrough();
    await until(async () => (await waiting("unread"))?.waiting === 0);
  });

  it("reads a log that an earlier release has written", async () => {
    const before = await follow("earlier");
    const batch = envelopes(3, "earlier");
    await bus.publish(batch.slice(0, 2));
    await until(() => before.length === 2);
    await bus.close();
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    try {
      await admin.query(`alter table bus.messages drop column kind, drop column tenant, drop column partition_key,
        alter column envelope type jsonb`);
      await admin.query("insert into bus.messages (event_id, type, envelope) values ($1, $2, $3)", [
        batch[2]?.id,
        "TemplateRegistered",
        JSON.stringify(batch[2]),
      ]);
      for (const statement of busSchema("suites_platform_worker")) await admin.query(statement);
      const { rows } = await admin.query<{ kind: string }>("select distinct kind from bus.messages");
      expect(rows.map(({ kind }) => kind)).toContain("event");
    } finally {
      await admin.end();
    }
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
    const after = await follow("earlier");
    await until(() => after.length === 1);
    expect(after).toEqual([batch[2]?.subject]);
  });

  const aCommand = () =>
    createCommand(
      { type: "PublishLibraryVersion", subject: "library-versions/lbv", data: {} },
      "spine",
      aTenant().tenantId,
      { ...cause, actorId: "cli_a", actorScopes: new Set(["libraries.publish"]) },
    );
  const deadLetterCount = async (group: string) =>
    (await query("select from bus.dead_letters where consumer = $1", group)).length;
  const query = async (text: string, ...values: unknown[]) => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    try {
      return (await admin.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await admin.end();
    }
  };

  it("keeps commands from consumers of events, and events from those of commands", async () => {
    const events = await follow("kinds");
    const everything: string[] = [];
    const commands: string[] = [];
    await bus.subscribe({
      group: "kinds-all",
      handle: async (messages) => void everything.push(...messages.map(({ envelope }) => envelope.messagekind)),
    });
    await bus.subscribe({
      group: "kinds-commands",
      kind: "command",
      types: ["PublishLibraryVersion"],
      handle: async (messages) => void commands.push(...messages.map(({ envelope }) => envelope.id)),
    });
    const [first, second] = [aCommand(), aCommand()];
    await bus.publish([first, ...envelopes(1, "kinds-a"), second, ...envelopes(1, "kinds-b")]);
    await until(() => events.length === 2 && commands.length === 2);
    expect(commands).toEqual([first.id, second.id]);
    expect(new Set(everything)).toEqual(new Set(["event"]));
  });

  it("gives audit records to consumers of audit records only, in their order", async () => {
    const recordsOf = (text: string) =>
      Array.from({ length: 3 }, (_, index) =>
        createAuditRecord({ operation: `${text}${index}` }, { source: "catalog", tenantId: aTenant().tenantId, cause }),
      );
    const everything: Envelope[] = [];
    const records: AuditRecord[] = [];
    await bus.subscribe({
      group: "audit-all",
      handle: async (messages) => void everything.push(...messages.map(({ envelope }) => envelope)),
    });
    const ofType = await follow("audited", "audit-events");
    // before anybody consumes them, as in a subgraph that runs alone
    const early = recordsOf("early");
    await bus.publish([...envelopes(1, "audited-a"), ...early]);
    await until(() => ofType.length === 1);
    await bus.subscribe({
      group: "audit-records",
      kind: "audit",
      types: ["AuditRecord"],
      handle: async (messages) => void records.push(...messages.map(({ envelope }) => envelope)),
    });
    const late = recordsOf("late");
    const last = envelopes(1, "audited-b");
    await bus.publish([...late, ...last]);
    const sawLast = () => everything.some(({ id }) => id === last[0]?.id);
    await until(() => ofType.length === 2 && records.length === 6 && sawLast());
    expect(records).toEqual([...early, ...late]);
    expect(new Set(everything.map(({ messagekind }) => messagekind))).toEqual(new Set(["event"]));
  });

  it("wakes no consumer of events for audit records", async () => {
    const way = await countedWay(test.definition.connections.worker);
    const countedBus = await PostgresBus.open(way.url, quiet);
    await countedBus.subscribe({ group: "undisturbed", handle: async () => undefined });
    const publish = () =>
      bus.publish([createAuditRecord({ operation: "x" }, { source: "catalog", tenantId: aTenant().tenantId, cause })]);
    const counts: number[] = [];
    // the group also looks once a second, which may fall between
    for (let round = 0; round < 30 && counts.at(-1) !== 0; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      way.count();
      await publish();
      await new Promise((resolve) => setTimeout(resolve, 100));
      counts.push(way.count());
    }
    expect(Math.min(...counts)).toBe(0);
    await countedBus.close();
    way.close();
  });

  it("moves the position of a group past messages for other groups", async () => {
    const subjects: string[] = [];
    await bus.subscribe({
      group: "stranger",
      types: ["TenantSuspended"],
      handle: async (messages) => void subjects.push(...messages.map(({ envelope }) => envelope.subject)),
    });
    await bus.publish(envelopes(450, "stranger"));
    await until(async () => {
      const [row] = await query(
        `select (select max(position) from bus.messages) - position < 200 as passed
         from bus.consumers where name = 'stranger'`,
      );
      return row?.["passed"] === true;
    });
    await bus.publish([createEvent({ type: "TenantSuspended", subject: "tenants/late", data: {} }, "ten", cause)]);
    await until(() => subjects.length === 1);
  });

  it("makes a message that its consumer cannot read a dead letter at once", async () => {
    const subjects: string[] = [];
    await bus.subscribe({
      group: "unreadable",
      handle: async (messages) => {
        for (const { envelope } of messages) {
          if (envelope.subject === "templates/unreadable0") throw new UnreadableMessage("torn");
          if (envelope.subject.startsWith("templates/unreadable")) subjects.push(envelope.subject);
        }
      },
    });
    await bus.publish(envelopes(2, "unreadable"));
    await until(() => subjects.length === 1);
    expect(await deadLetterCount("unreadable")).toBe(1);
  });

  it("makes no dead letters while something is not available", async () => {
    let attempts = 0;
    await bus.subscribe({
      group: "outage",
      handle: async (messages) => {
        if (!messages.some(({ envelope }) => envelope.subject === "templates/outage0")) return;
        attempts += 1;
        throw new DomainError("UNAVAILABLE");
      },
    });
    await bus.publish(envelopes(1, "outage"));
    await until(() => attempts >= 3);
    expect(await deadLetterCount("outage")).toBe(0);
  });

  it("reconnects after its connections were ended", async () => {
    const subjects = await follow("cut");
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'suites_catalog_worker'",
    );
    await admin.end();
    await until(async () =>
      bus.publish(envelopes(1, "cut")).then(
        () => true,
        () => false,
      ),
    );
    await until(() => subjects.length > 0);
  });

  it("has no transaction open while a consumer works", async () => {
    let open: unknown[] | undefined;
    await bus.subscribe({
      group: "idle",
      handle: async () => {
        open ??= await query(
          "select query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
        );
      },
    });
    await bus.publish(envelopes(1, "idle"));
    await until(() => open !== undefined);
    expect(open).toEqual([]);
  });

  it("lets one process work for a group, and the next one soon after it ends", async () => {
    const other = await PostgresBus.open(test.definition.connections.worker, quiet);
    const handlerNames: string[] = [];
    const member = (name: string, on: PostgresBus) =>
      on.subscribe({
        group: "members",
        types: ["TenantSuspended"],
        handle: async (messages) => void handlerNames.push(...messages.map(() => name)),
      });
    const suspendedEvents = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        createEvent({ type: "TenantSuspended", subject: `tenants/m${index}`, data: {} }, aTenant().tenantId, cause),
      );
    await member("first", bus);
    await bus.publish(suspendedEvents(1));
    await until(() => handlerNames.length > 0);
    const before = handlerNames.length;
    await member("second", other);
    await bus.publish(suspendedEvents(3));
    await until(() => handlerNames.length === before + 3);
    expect(new Set(handlerNames)).toEqual(new Set(["first"]));
    await bus.close();
    await other.publish(suspendedEvents(3));
    await until(() => handlerNames.length === before + 6);
    expect(handlerNames.slice(-3)).toEqual(["second", "second", "second"]);
    await other.close();
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
  });

  it("deletes messages that only a removed group has not read, but none that an active group has not read", async () => {
    const retention = new Retention(test.definition.connections.worker, quiet, busRetention(30));
    await bus.publish(envelopes(3, "forgotten"));
    await query("update bus.consumers set position = (select max(position) from bus.messages)");
    await query("insert into bus.consumers (name, position) values ('living', 0), ('removed', 0)");
    await query("update bus.messages set published_at = now() - interval '8 days'");
    const remainingCount = async () => (await query("select from bus.messages")).length;
    const all = await remainingCount();
    await retention.forget();
    expect(await remainingCount()).toBe(all);
    await query("update bus.consumers set updated_at = now() - interval '8 days' where name = 'removed'");
    await query(
      "update bus.consumers set position = (select max(position) - 1 from bus.messages) where name = 'living'",
    );
    await retention.forget();
    expect(await remainingCount()).toBe(1);
    await query("delete from bus.consumers where name in ('living', 'removed')");
    await retention.stop();
  });

  it("deletes dead letters after the configured number of days", async () => {
    await query(
      `insert into bus.dead_letters (consumer, position, envelope, error, created_at)
       select 'old', days, '{}', 'e', now() - days * interval '1 day' from unnest(array[9, 11]) as days`,
    );
    const retention = new Retention(test.definition.connections.worker, quiet, busRetention(10));
    await retention.forget();
    expect(await query("select position::int from bus.dead_letters where consumer = 'old'")).toEqual([{ position: 9 }]);
    await retention.stop();
  });

  it("needs two statements for a batch of any size", async () => {
    const way = await countedWay(test.definition.connections.worker);
    const countedBus = await PostgresBus.open(way.url, quiet);
    const batchSizes: number[] = [];
    await countedBus.subscribe({ group: "counted", handle: async (messages) => void batchSizes.push(messages.length) });
    const isEverythingRead = async () => {
      const [row] = await query(
        "select position >= (select coalesce(max(position), 0) from bus.messages) as all from bus.consumers where name = 'counted'",
      );
      return row?.["all"] === true;
    };
    await until(isEverythingRead);
    const counts: number[] = [];
    const batches = batchSizes.length;
    // the group also looks once a second, which may fall between
    for (let round = 0; round < 200 && counts.at(-1) !== 2; round += 1) {
      way.count();
      await bus.publish(envelopes(50, `counted${round}-`));
      await until(isEverythingRead);
      counts.push(way.count());
    }
    expect(batchSizes.slice(batches)).toEqual(counts.map(() => 50));
    expect(Math.min(...counts)).toBe(2);
    await countedBus.close();
    way.close();
  });
});
