import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { call } from "@factory/platform/client/platform-api";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import type { SenderOrder } from "./bare-sender.js";
import type { Stage } from "./bench-platform.js";
import { cpuOf, cpuOfFamily } from "./cpu-time.js";
import { type Figures, percentile } from "./report.js";

const goalPerSecond = 1000;
const sinkCount = 4;
const keysPerSink = 100;
/** As many requests at a time as the platform makes for one tenant. */
const atOnce = 32;
const patienceMs = 120_000;

interface Sink {
  readonly url: string;
  readonly server: Server;
  arrived: number;
  lastAt: number;
  /** Each key's newest webhook. */
  readonly newest: Map<string, number>;
  /** How often a webhook came before an earlier one with its key. */
  disordered: number;
}

interface Drained {
  readonly perSecond: number;
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly transactions: number;
}

async function aSink(): Promise<Sink> {
  const newest = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      sink.arrived += 1;
      sink.lastAt = performance.now();
      const { partitionkey: key, data } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      if (data.place < (newest.get(key) ?? 0)) sink.disordered += 1;
      newest.set(key, data.place);
      response.writeHead(204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const sink: Sink = { url, server, arrived: 0, lastAt: 0, newest, disordered: 0 };
  return sink;
}

/**
 * One subscription's messages with the ordering fifo, as they wait after their receiver's outage: each key's first one
 * is due. $1: tenant, $2: subscription, $3: origin, $4: how many, $5: how many keys, $6: a number for the event ids.
 */
const insertBacklog = `
  insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
    partition_key, status, attempts, next_attempt_at, envelope)
  select $1, gen_random_uuid(), $2, gen_random_uuid(), 'TemplateRegistered', $6::bigint + place, $3, 'key-' || place % $5::int,
    'Pending', 0, case when place < $5::int then now() end,
    jsonb_build_object('specversion', '1.0', 'id', 'evt_' || $6::bigint + place, 'source', 'catalog',
      'type', 'TemplateRegistered', 'subject', 'templates/tpl_bench', 'time', now(), 'tenantid', 'ten_bench',
      'partitionkey', 'key-' || place % $5::int, 'traceid', repeat('a', 32),
      'traceparent', '00-' || repeat('a', 32) || '-' || repeat('b', 16) || '-01', 'schemaversion', '1.0',
      'correlationid', 'bench', 'messagekind', 'event', 'datacontenttype', 'application/json',
      'data', jsonb_build_object('place', place, 'text', repeat('x', 600)))
  from generate_series(0, $4::int - 1) place`;

/**
 * Measures how fast one tenant's backlog is sent to healthy sinks, with the order kept in each of 400 keys, compared
 * with a bare sender that keeps no record.
 */
export async function webhookBacklog(
  stage: Stage,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figures> {
  const { platform, token } = stage;
  const perSink = Math.ceil((goalPerSecond * seconds) / sinkCount);
  const total = perSink * sinkCount;
  const sinks = await Promise.all(Array.from({ length: sinkCount }, aSink));
  const database = new pg.Client({ connectionString: stage.databaseUrl });
  await database.connect();
  const sender = fork(fileURLToPath(new URL("bare-sender.js", import.meta.url)));
  const subscriptions: string[] = [];
  for (const { url } of sinks) {
    const body = {
      eventType: "TemplateRegistered",
      endpointUrl: url,
      signingSecretRef: "bench-backlog",
      ordering: "fifo",
    };
    const answer = await call<{ subscriptionId: string }>("POST", `${platform.publicUrl}/webhooks/subscriptions`, {
      ...{ token, body },
    });
    subscriptions.push(decodeId("whs", answer.body.subscriptionId) ?? "");
  }

  async function measured(pid: number, begin: () => Promise<unknown>): Promise<Drained> {
    for (const sink of sinks) {
      sink.arrived = 0;
      sink.newest.clear();
    }
    const resourceUse = async () => {
      const { rows } = await database.query<{ transactions: string }>(
        "select sum(xact_commit) as transactions from pg_stat_database",
      );
      return [await cpuOf(pid), await cpuOfFamily(stage.postgresPid), Number(rows[0]?.transactions)] as const;
    };
    const before = await resourceUse();
    await begin();
    const startedAt = performance.now();
    const arrivalCount = () => sinks.reduce((sum, sink) => sum + sink.arrived, 0);
    while (arrivalCount() < total && performance.now() < startedAt + patienceMs) await sleep(5);
    const tookMs = Math.max(...sinks.map(({ lastAt }) => lastAt)) - startedAt;
    // the last attempts' results are stored, and PostgreSQL's statistics are counted
    await sleep(1500);
    const after = await resourceUse();
    const count = arrivalCount();
    return {
      perSecond: (count * 1000) / tookMs,
      cpu: (after[0] - before[0]) / count,
      postgresCpu: (after[1] - before[1]) / count,
      transactions: (after[2] - before[2]) / count,
    };
  }

  let position = 1_000_000;
  const ours = () =>
    measured(platform.pid, async () => {
      await database.query("begin");
      for (const [place, subscription] of subscriptions.entries()) {
        const origin = new URL(sinks[place]?.url ?? "").origin;
        await database.query(insertBacklog, [stage.tenantUuid, subscription, origin, perSink, keysPerSink, position]);
        position += perSink;
      }
      await database.query("commit");
    });
  const body = JSON.stringify({ partitionkey: "key", data: { place: 1, text: "x".repeat(1000) } });
  const bare = () =>
    measured(sender.pid ?? 0, async () => {
      const order: SenderOrder = { urls: sinks.map(({ url }) => url), perSink, atOnce, body };
      sender.send(order);
    });

  try {
    await ours();
    await bare();
    const rates = { ours: [] as Drained[], bare: [] as Drained[] };
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push(await bare());
      rates.ours.push(await ours());
    }
    const median = (of: "ours" | "bare", member: keyof Drained) =>
      percentile(
        rates[of].map((run) => run[member]),
        0.5,
      );
    const { rows } = await database.query<{ unsent: string; repeated: string }>(
      `select count(*) filter (where status <> 'Delivered') as unsent, count(*) filter (where attempts > 1) as repeated
       from integration.webhook_messages where subscription_id = any($1)`,
      [subscriptions],
    );
    const disorderCount = sinks.reduce((sum, sink) => sum + sink.disordered, 0);
    const unsent = Number(rows[0]?.unsent);
    const rate = median("ours", "perSecond");
    const isMet = rate >= goalPerSecond && disorderCount === 0 && unsent === 0;
    return {
      title: `A backlog of ${total} webhooks of one tenant to ${sinkCount} sinks, in order for each of ${sinkCount * keysPerSink} keys`,
      values: {
        "bare node:http sender, deliveries/s": median("bare", "perSecond"),
        "bare node:http sender, CPU us/delivery": median("bare", "cpu"),
        "platform, deliveries/s": rate,
        "platform CPU us/delivery": median("ours", "cpu"),
        "PostgreSQL CPU us/delivery": median("ours", "postgresCpu"),
        "transactions/delivery": median("ours", "transactions"),
        "out of order": disorderCount,
        unsent,
        repeated: Number(rows[0]?.repeated),
      },
      verdict: `goal: at least ${goalPerSecond} deliveries/s, none lost or out of order; result: ${isMet ? "met" : "MISSED"}`,
    };
  } finally {
    sender.kill();
    await database.end();
    for (const { server } of sinks) {
      server.close();
      server.closeAllConnections();
    }
  }
}
