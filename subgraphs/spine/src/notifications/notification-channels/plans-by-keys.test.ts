import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { RunningSpine } from "../../running-spine.fixture.js";
import {
  byHandle,
  changeLane,
  lockQueued,
  lockUnhanded,
  release,
  settle,
  wait,
} from "../notifications/delivery/delivery-statement.js";
import { queuedNotification } from "../notifications/delivery/queued-notification-statement.js";
import { planByKeys } from "../notifications/record/plan-by-keys.js";
import {
  closeDigest,
  digestOfMember,
  firstQueued,
  membersBehind,
  otherMembers,
  queuedTexts,
} from "./digest/digest-statement.js";
import { takeSlot } from "./throttle/hourly-slots.js";
import { lockNamedReceiver } from "./webhook/named-receiver-statement.js";

let platform: RunningSpine;
let app: pg.Client;
let tenant: string;

const uuidOf = (kind: string, place: number) => `00000000-0000-4000-${kind}-${String(place).padStart(12, "0")}`;
const [notification, digest] = [uuidOf("8000", 20_000), uuidOf("a000", 40)];
/** Each table's rows. A digest has 500 members. */
const rows = 40_000;

/** The statements' names, their values, and the pages that one execution may read. */
const statements: readonly [{ name: string; text: string }, (of: string) => unknown[], number][] = [
  [queuedNotification, (of) => [of, notification], 40],
  [lockQueued, (of) => [of, notification], 30],
  [lockUnhanded, (of) => [of, notification], 30],
  [changeLane, (of) => [of, notification, "Mail"], 60],
  [wait, (of) => wait.valuesOf({ tenant: of, notification, until: new Date().toISOString(), handle: null }), 60],
  [release, (of) => [of, notification, new Date().toISOString()], 60],
  [
    settle,
    (of) => settle.valuesOf({ tenant: of, notification, status: "Sent", reason: null, takenIn: "{Queued}" }),
    60,
  ],
  [byHandle, (of) => [of, "handle 20000"], 20],
  [lockNamedReceiver, (of) => [of, notification, notification], 20],
  [digestOfMember, (of) => [of, notification], 20],
  [closeDigest, (of) => [of, digest], 30],
  [firstQueued, (of) => [of, digest], 20],
  [queuedTexts, (of) => queuedTexts.valuesOf({ tenant: of, digest, items: 20, characters: 301 }), 5000],
  [otherMembers, (of) => [of, notification], 1000],
  [membersBehind, (of) => [of, notification], 5000],
  [
    takeSlot,
    (of) => takeSlot.valuesOf({ tenant: of, notification, key: "limit", perHour: 1000, latest: "2100-01-01" }),
    1500,
  ],
];

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenant = decodeId("ten", await platform.activeTenant("planned")) ?? "";
  app = new pg.Client({ connectionString: platform.connections.app });
  await app.connect();
});
afterAll(async () => {
  await app?.end();
  await platform?.stop();
});

/** In the tenant's transaction, without effect. */
async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  await app.query("begin");
  try {
    await app.query("select set_config('app.tenant', $1, true)", [tenant]);
    await planByKeys({ defer: async (statement) => void (await app.query(statement as { text: string })) });
    return await work();
  } finally {
    await app.query("rollback");
  }
}

async function pagesRead(name: string, values: readonly unknown[]): Promise<number> {
  const literals = values.map((value) => (value === null ? "null" : pg.escapeLiteral(`${value as string | number}`)));
  const { rows: plans } = await inTransaction(() =>
    app.query(`explain (analyze, buffers, format json) execute "${name}" (${literals.join(", ")})`),
  );
  const plan = plans[0]["QUERY PLAN"][0].Plan;
  return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
}

const fillStatements = [
  `insert into notification_messages (tenant_id, message_id, channel, category, priority, title, body, audience,
     recipient_count, requested_by, correlation_id, traceparent, created_at)
   select $1, ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, 'Email', 'general', 'Normal', 'x', 'y',
     'Recipients', 1, 'usr_x', 'x', '', now() from generate_series(1, ${rows}) n`,
  `insert into notifications (tenant_id, notification_id, message_id, channel, recipient_email, recipient_email_key, status,
     due_at, handle, created_at)
   select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
     ('00000000-0000-4000-9000-' || lpad(n::text, 12, '0'))::uuid, 'Email', n || '@a.example', n || '@a.example', 'Queued',
     now(), 'handle ' || n, now() from generate_series(1, ${rows}) n`,
  `insert into notification_digests (tenant_id, digest_id, recipient_key, digest_key, closes_at, is_closed, members)
   select $1, ('00000000-0000-4000-a000-' || lpad(n::text, 12, '0'))::uuid, 'x', 'key ' || n, now(), false, 500
   from generate_series(1, ${rows}) n`,
  `insert into notification_digest_members (tenant_id, notification_id, digest_id, joined_at)
   select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
     ('00000000-0000-4000-a000-' || lpad((n / 500)::text, 12, '0'))::uuid, now() from generate_series(1, ${rows}) n`,
  `insert into notification_slots (tenant_id, notification_id, limit_key, due_at)
   select $1, gen_random_uuid(), case n % 2 when 0 then 'limit' else 'other' end, now() - n * interval '1 second'
   from generate_series(1, ${rows}) n`,
  `insert into users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
   select $1, uuidv7(), n || '@a.example', n || '@a.example', 'Active', 'none', now(), now()
   from generate_series(1, ${rows}) n`,
];

describe("statements of deliveries that were planned while their tables were empty", () => {
  it("read by keys however many rows there are later", async () => {
    const tables = ["notifications", "notification_messages", "notification_digests", "notification_digest_members"];
    for (const table of [...tables, "notification_slots", "notification_preferences", "users", "tenants"])
      await platform.admin.query(`vacuum analyze ${table}`);
    for (let times = 0; times < 7; times += 1)
      for (const [{ name, text }, values] of statements)
        await inTransaction(() => app.query({ name, text, values: values(tenant) }));
    for (const insert of fillStatements) await platform.admin.query(insert, [tenant]);
    const pageCounts: Record<string, number> = {};
    for (const [{ name }, values] of statements) pageCounts[name] = await pagesRead(name, values(tenant));
    const tooMany = statements.filter(([{ name }, , limit]) => (pageCounts[name] ?? Infinity) > limit);
    expect(tooMany.map(([{ name }, , limit]) => `${name} reads ${pageCounts[name]} pages, and not ${limit}`)).toEqual(
      [],
    );
  });
});
