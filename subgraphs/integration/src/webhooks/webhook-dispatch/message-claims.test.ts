import { planStatement, plansInOrder } from "@factory/runtime/db/plan-settings";
import { createLogger } from "@factory/runtime/telemetry/logger";
import pg from "pg";
import { type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { planAttemptsByKeys, recordAttempts } from "./attempt-statement.js";
import { claimMessages, dueMessages, giveBack, waitingLanes } from "./claim-statement.js";
import { MessageClaims } from "./message-claims.js";
import { releaseKeys } from "./ordered-message-statement.js";

let fixture: IntegrationFixture;
let worker: pg.Client;
let app: pg.Client;

/** The settings for the connections that claim messages. */
const planInOrder = planStatement("plans_in_order", plansInOrder);

const backlog = 100_000;
const origin = "http://127.0.0.1:1";

const messages = `insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type,
    position, origin, status, attempts, next_attempt_at)
  select ('00000000-0000-4000-8000-' || lpad((place % $1)::text, 12, '0'))::uuid, gen_random_uuid(),
    ('00000000-0000-4000-9000-' || lpad((place % $1)::text, 12, '0'))::uuid, gen_random_uuid(), 'TemplateRegistered', place,
    '${origin}', 'Pending', 0, now() + interval '20 minutes'
  from generate_series(1, $2::int) place`;

const laneCount = 50;

/** A subscription for each lane, with its credential. */
const subscriptions = `with lane as (
    select ('00000000-0000-4000-8000-' || lpad(place::text, 12, '0'))::uuid as tenant,
      ('00000000-0000-4000-9000-' || lpad(place::text, 12, '0'))::uuid as subscription
    from generate_series(0, ${laneCount - 1}) place),
  credential as (
    insert into integration.credentials (tenant_id, credential_id, name, kind, current_version, status, created_at)
    select tenant, subscription, 'hook', 'WebhookSigning', 1, 'Active', now() from lane)
  insert into integration.webhook_subscriptions (tenant_id, subscription_id, event_type, endpoint_url,
    signing_secret_ref, credential_id, content_type, status, created_at)
  select tenant, subscription, 'RunStarted', '${origin}/hook', 'hook', subscription, 'application/json', 'Active', now()
  from lane`;

beforeAll(async () => {
  fixture = await startIntegrationFixture();
  await fixture.rows(subscriptions);
  worker = new pg.Client({ connectionString: fixture.connections.worker });
  app = new pg.Client({ connectionString: fixture.connections.app });
  await Promise.all([worker.connect(), app.connect()]);
});

afterAll(async () => {
  await Promise.all([worker.end(), app.end()]);
  await fixture.close();
});

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** Rows that the statement has read from a table, those that it threw away included. */
function rowsRead(plan: Plan, table: string): number {
  const ownRows =
    plan["Relation Name"] === table && plan["Node Type"].includes("Scan")
      ? (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"]
      : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), ownRows);
}

/** As if all were due, which the fixture's own dispatcher would send. */
async function explained({ text }: { text: string }, values: unknown[], client = worker): Promise<Plan> {
  await client.query("begin");
  try {
    await client.query("select set_config('app.tenant', $1, true)", [uuid("8000", 0)]);
    await client.query(client === worker ? planInOrder : planAttemptsByKeys);
    const { rows } = await client.query(
      `explain (analyze, format json) ${text.replaceAll("<= now()", "<= now() + interval '1 hour'")}`,
      values,
    );
    return rows[0]["QUERY PLAN"][0].Plan as Plan;
  } finally {
    await client.query("rollback");
  }
}

const uuid = (kind: string, place: number) => `00000000-0000-4000-${kind}-${String(place).padStart(12, "0")}`;

/** One successful attempt's values for each message. */
function attemptValues(messageIds: readonly string[]): unknown[] {
  const each = (value: unknown) => messageIds.map(() => value);
  return recordAttempts.valuesOf({
    ...{ tenant: uuid("8000", 0), messages: messageIds, ids: messageIds, claims: each(1), states: each("Delivered") },
    ...{ delays: each(null), outcomes: each("Succeeded"), failures: each(null), details: each(null) },
    ...{ statusCodes: each(204), responseBodies: each(""), starts: each(new Date()), durations: each(5) },
    ...{ urls: each(null), requestHeaders: each(null), responseHeaders: each(null) },
  });
}

describe("without statistics of the table", () => {
  /** The messages that a transaction's checks read when it stores one attempt. */
  async function readByChecks(): Promise<number> {
    const [message] = await fixture.rows<{ message_id: string }>(
      `update integration.webhook_messages set status = 'Delivering', claims = 1 where message_id =
         (select message_id from integration.webhook_messages where status = 'Pending' limit 1) returning message_id`,
    );
    const ids = [message?.message_id ?? ""];
    const readCount = async () => {
      const { rows } = await app.query<{ read: string }>(
        `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'webhook_messages'`,
      );
      return Number(rows[0]?.read);
    };
    await app.query("begin");
    try {
      await app.query("select set_config('app.tenant', $1, true)", [uuid("8000", 0)]);
      await app.query(planAttemptsByKeys);
      const { rowCount } = await app.query(recordAttempts.text, attemptValues(ids));
      expect(rowCount).toBe(1);
      const before = await readCount();
      await app.query("set constraints all immediate");
      return (await readCount()) - before;
    } finally {
      await app.query("rollback");
    }
  }

  it("the check that the message of an attempt exists reads one, though it was planned when there were few", async () => {
    await fixture.rows(messages, 1, 20);
    for (let place = 0; place < 10; place += 1) await readByChecks();
    await fixture.rows(messages, 1, 5000);
    expect(await readByChecks()).toBe(1);
  });

  it("claims and records read only the messages that they change", async () => {
    const lane = [[uuid("8000", 0)], [origin], [uuid("9000", 0)], [16]];
    expect(rowsRead(await explained(claimMessages, lane), "webhook_messages")).toBeLessThanOrEqual(2 * 16);
    const ids = Array.from({ length: 8 }, (_, place) => uuid("a000", place));
    const recordPlan = await explained(recordAttempts, attemptValues(ids), app);
    expect(rowsRead(recordPlan, "webhook_messages")).toBeLessThanOrEqual(8);
    await fixture.rows("delete from integration.webhook_messages");
  });
});

describe("the statements that find what is due", () => {
  it("read as many messages as there is room for, and one for each lane, whatever waits behind them", async () => {
    await fixture.rows(messages, 1, backlog);
    await fixture.rows(messages, laneCount, 500);
    await fixture.rows("analyze integration.webhook_messages");
    const claim = await explained(claimMessages, [
      [uuid("8000", 0), uuid("8000", 7)],
      [origin, origin],
      [uuid("9000", 0), uuid("9000", 7)],
      [16, 16],
    ]);
    // ten in the second lane; each is read once to be chosen and once to be changed
    expect(rowsRead(claim, "webhook_messages")).toBeLessThanOrEqual(2 * (16 + 10));
    const look = await explained(waitingLanes, [1000, 256]);
    expect(rowsRead(look, "webhook_messages")).toBeLessThanOrEqual(51);
  });

  it("read only the messages that they change, when the statistics know no waiting message", async () => {
    await fixture.rows("delete from integration.webhook_messages");
    await fixture.rows(messages, 1, 5000);
    await fixture.rows(
      "update integration.webhook_messages set status = 'Delivered', next_attempt_at = null, finished_at = now()",
    );
    await fixture.rows("vacuum analyze integration.webhook_messages");
    await fixture.rows(messages, 1, 5000);
    await fixture.rows(
      `update integration.webhook_messages set partition_key = 'key-' || position % 100, next_attempt_at = null
       where status = 'Pending'`,
    );
    const releasePlan = await explained(releaseKeys, [
      Array(8).fill(uuid("8000", 0)),
      Array(8).fill(uuid("9000", 0)),
      Array.from({ length: 8 }, (_, key) => `key-${key}`),
    ]);
    expect(rowsRead(releasePlan, "webhook_messages")).toBeLessThanOrEqual(2 * 8);
    const claimedRows = await fixture.rows<{ message_id: string }>(
      `update integration.webhook_messages set status = 'Delivering', claims = 1, next_attempt_at = now() + interval '1 hour'
       where status = 'Pending' and position <= 8 returning message_id`,
    );
    const ids = claimedRows.map(({ message_id: id }) => id);
    const each = <V>(value: V) => ids.map(() => value);
    const keptPlan = await explained(recordAttempts, attemptValues(ids), app);
    expect(rowsRead(keptPlan, "webhook_messages")).toBeLessThanOrEqual(8);
    const givingPlan = await explained(giveBack, [each(uuid("8000", 0)), ids, each(1)]);
    expect(rowsRead(givingPlan, "webhook_messages")).toBeLessThanOrEqual(8);
  });
});

describe("a release of keys", () => {
  it("makes only the first message of a key due, however often the key is named", async () => {
    await fixture.rows("delete from integration.webhook_messages");
    await fixture.rows(messages, 1, 20);
    await fixture.rows("update integration.webhook_messages set partition_key = 'key', next_attempt_at = null");
    const times = 5;
    await worker.query("begin");
    try {
      await worker.query(planInOrder);
      const keys = [uuid("8000", 0), uuid("9000", 0), "key"].map((value) => Array(times).fill(value));
      await worker.query(releaseKeys.text, keys);
      const due = "select position from integration.webhook_messages where next_attempt_at is not null";
      expect((await worker.query(due)).rows).toEqual([{ position: "1" }]);
    } finally {
      await worker.query("rollback");
    }
  });
});

describe("the due messages that are counted", () => {
  it("are those of receivers that are not paused, with the age of the oldest", async () => {
    await fixture.rows("delete from integration.webhook_messages");
    await fixture.rows(messages, 3, 30);
    await fixture.rows(
      "insert into integration.webhook_breakers (tenant_id, origin, openings, paused_until) values ($1, $2, 1, now() + interval '1 hour')",
      uuid("8000", 1),
      origin,
    );
    await fixture.rows(
      "insert into integration.webhook_paces (tenant_id, subscription_id, next_at, granted) values ($1, $2, now() + interval '1 hour', 1)",
      uuid("8000", 2),
      uuid("9000", 2),
    );
    const count = async (due: string) => {
      await worker.query("begin");
      try {
        await worker.query(
          `update integration.webhook_messages set next_attempt_at = now() - interval '90 seconds' where ${due}`,
        );
        return (await worker.query(dueMessages.text)).rows;
      } finally {
        await worker.query("rollback");
      }
    };
    expect(await count("false")).toEqual([{ waiting: 0, oldestSeconds: 0 }]);
    expect(await count("position <= 15")).toEqual([{ waiting: 5, oldestSeconds: 90 }]);
    await fixture.rows("delete from integration.webhook_breakers");
    expect(await count("true")).toEqual([{ waiting: 20, oldestSeconds: 90 }]);
    await fixture.rows("delete from integration.webhook_paces");
    expect(await count("true")).toEqual([{ waiting: 30, oldestSeconds: 90 }]);
  });
});

describe("the keys that a start releases", () => {
  it("are those with a first message that is never due, however many others wait", async () => {
    await fixture.rows("delete from integration.webhook_messages");
    await fixture.rows(messages, 1, 10_003);
    await fixture.rows(
      `update integration.webhook_messages set partition_key = 'key-' || lpad(least(position, 10002)::text, 5, '0'),
         next_attempt_at = case when position < 10002 then next_attempt_at end`,
    );
    const claims = new MessageClaims(fixture.connections.worker, createLogger("test", "silent"));
    try {
      const lane = { tenant: uuid("8000", 0), origin, subscription: uuid("9000", 0) };
      expect(await claims.strandedKeys()).toEqual([{ lane, keys: ["key-10002"] }]);
    } finally {
      await claims.close();
    }
  });
});
