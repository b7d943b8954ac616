import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const notificationCount = 1_000_000;
const userCount = 10_000;
const batch = 100_000;
const warmUps = 20;
const roundsEach = 150;
const pageSize = 50;
const goal = 2;
const broadcasts = 5;
const broadcastGoalMs = 2000;

const lists = new URL(
  "../../../subgraphs/spine/dist/notifications/notifications/inbox/notification-list.js",
  import.meta.url,
);

interface Conditions {
  readonly status: string | null;
  readonly channel: string | null;
  readonly recipient: string | null;
  readonly unread: boolean | null;
  readonly wanted: boolean;
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The part that the bench runs by itself from the spine's list. */
interface ListModule {
  readonly notificationsWhere: (conditions: Conditions) => {
    readonly list: { readonly statements: readonly Statement[] };
    readonly values: readonly unknown[];
  };
}

const none: Conditions = { status: null, channel: null, recipient: null, unread: null, wanted: false };

const insertUsers = `
  insert into spine.users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
  select $1, uuidv7(), n || '@people.example', n || '@people.example', 'Active', 'none', now(), now()
  from generate_series(1, $2::int) n`;

const insertMessages = `
  insert into spine.notification_messages (tenant_id, message_id, channel, category, priority, title, body, audience,
    recipient_count, requested_by, correlation_id, traceparent, created_at)
  select $1, uuidv7(), 'InApp', 'general', 'Normal', 'Message ' || n, repeat('It has arrived. ', 20), 'Recipients', 1000,
    'cli_bench', md5(n::text), md5(n::text), now() from generate_series(1, 1000) n`;

/** One in twenty was read, one in a hundred failed, one in ten is a mail. */
const insertNotifications = `
  insert into spine.notifications (tenant_id, notification_id, message_id, channel, recipient_user_id, status, created_at,
    sent_at)
  select $1, uuidv7(), messages[1 + n % 1000], case when n % 10 = 3 then 'Email' else 'InApp' end, users[1 + n % ${userCount}],
    case when n % 20 = 7 then 'Read' when n % 100 = 5 then 'Failed' else 'Sent' end, now(), now()
  from generate_series($2::int, $3::int) n,
    (select array_agg(message_id) as messages from spine.notification_messages where tenant_id = $1) known,
    (select array_agg(user_id) as users from spine.users where tenant_id = $1) people`;

/**
 * Measures each list's first page in turn with the same page by a statement without policies, and broadcasts to 10,000
 * users over REST.
 */
export async function notifications(stage: Stage): Promise<Figures> {
  const { platform, databaseUrl } = stage;
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "notified", "Notified");
  const scopes = ["notification.read", "notification.send"] as const;
  const client = await createTenantClient(platform, admin, tenantId, { name: "bench", scopes });
  const token = await accessToken(platform, client);
  const tenant = decodeId("ten", tenantId) ?? "";
  const [app, bare] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)];
  await Promise.all([app.connect(), bare.connect()]);
  const values: Record<string, number> = {};
  const missedGoals: string[] = [];
  try {
    const user = await seed(bare, tenant);
    await app.query("set role postgres_spine_app");
    await app.query("set search_path = spine");
    await bare.query("set search_path = spine");
    const { notificationsWhere } = (await import(lists.href)) as ListModule;
    const searches: Record<string, Conditions> = {
      "no filter": none,
      "of a person": { ...none, recipient: user, wanted: true },
      "unread of a person": { ...none, recipient: user, unread: true, wanted: true },
      Failed: { ...none, status: "Failed" },
      "Failed mails": { ...none, status: "Failed", channel: "Email" },
      mails: { ...none, channel: "Email" },
    };
    for (const [name, conditions] of Object.entries(searches)) {
      const { list, values: filterValues } = notificationsWhere(conditions);
      // ascending and descending, each with its first page and the next ones
      const ours = list.statements[2];
      if (!ours) throw new Error(`The list ${name} has no statement`);
      const parameters = [tenant, ...filterValues, pageSize + 1];
      const [bareTimes, ourTimes] = await compared([bare, bareOf(ours)], [app, ours], parameters);
      values[`${name}: bare statement p50 ms`] = percentile(bareTimes, 0.5);
      values[`${name}: x bare`] = percentile(ourTimes, 0.5) / percentile(bareTimes, 0.5);
      if (percentile(ourTimes, 0.5) / percentile(bareTimes, 0.5) > goal) missedGoals.push(name);
    }
    values["no filter: REST p50 ms"] = await overRest(`${platform.publicUrl}/v1/notifications?sort=-createdAt`, token);
    const takenMs: number[] = [];
    for (let round = 0; round < broadcasts; round += 1) {
      const startedAt = performance.now();
      const url = `${platform.publicUrl}/v1/notifications/broadcasts`;
      const { body } = await call<{ recipientCount: number }>("POST", url, { token, body: { body: "Hello, all." } });
      takenMs.push(performance.now() - startedAt);
      values["broadcast: recipients"] = body.recipientCount;
    }
    values["broadcast: p50 ms"] = percentile(takenMs, 0.5);
    values["broadcast: slowest ms"] = Math.max(...takenMs);
    if (Math.max(...takenMs) > broadcastGoalMs) missedGoals.push("the broadcast");
  } finally {
    await Promise.all([app.end(), bare.end()]);
  }
  const verdict = missedGoals.length === 0 ? "met" : `MISSED by ${missedGoals.join(", ")}`;
  return {
    title: `Pages of ${pageSize} of ${notificationCount} notifications of one tenant, and broadcasts to ${userCount} users`,
    values,
    verdict: `goal: a list takes at most ${goal}x of the same statement by bare pg, a broadcast at most ${broadcastGoalMs} ms; result: ${verdict}`,
  };
}

/** Returns one user's UUID. */
async function seed(client: pg.Client, tenant: string): Promise<string> {
  await client.query("set synchronous_commit = off");
  await client.query(insertUsers, [tenant, userCount]);
  await client.query(insertMessages, [tenant]);
  for (let from = 1; from <= notificationCount; from += batch)
    await client.query(insertNotifications, [tenant, from, from + batch - 1]);
  for (const table of ["notifications", "notification_messages", "users"])
    await client.query(`vacuum analyze spine.${table}`);
  const { rows } = await client.query<{ user_id: string }>(
    "select user_id from spine.users where tenant_id = $1 limit 1",
    [tenant],
  );
  return rows[0]?.user_id ?? "";
}

/** The same select without the part that sets the tenant. */
function bareOf({ name, text }: Statement): Statement {
  const select = text.replace(/^.*?cross join lateral \(/s, "").replace(/ offset 0\) found$/, "");
  return { name: `bare_${name}`, text: select.replaceAll("scope.tenant", "$1") };
}

type Side = readonly [pg.Client, Statement];

async function compared(bare: Side, ours: Side, values: unknown[]): Promise<[number[], number[]]> {
  const timesMs: [number[], number[]] = [[], []];
  for (let round = 0; round < warmUps + roundsEach; round += 1) {
    const times = [await timed(bare, values), await timed(ours, values)] as const;
    if (round < warmUps) continue;
    timesMs[0].push(times[0]);
    timesMs[1].push(times[1]);
  }
  return timesMs;
}

async function timed([client, { name, text }]: Side, values: unknown[]): Promise<number> {
  const startedAt = performance.now();
  await client.query({ name, text, values });
  return performance.now() - startedAt;
}

async function overRest(url: string, token: string): Promise<number> {
  const takenMs: number[] = [];
  for (let round = 0; round < warmUps + roundsEach; round += 1) {
    const startedAt = performance.now();
    await call("GET", url, { token });
    if (round >= warmUps) takenMs.push(performance.now() - startedAt);
  }
  return percentile(takenMs, 0.5);
}
