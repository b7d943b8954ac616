import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "@factory/platform/client/platform-api";
import pg from "pg";
import type { Stage } from "./bench-platform.js";
import { cpuOf, cpuOfFamily } from "./cpu-time.js";
import { type Figures, percentile } from "./report.js";

const eventsPerSecond = 200;
const goalMs = 60;
const arrivalTimeoutMs = 30_000;
/**
 * The number of requests that run at the same time. A platform that is slower than the goal gets fewer requests, as
 * "events/s" shows.
 */
const mostUnderWay = 64;

interface TemplateEvent {
  readonly id: string;
  readonly time: string;
  readonly data: { readonly name: string };
}

/**
 * Measures the time from an event's occurrence inside its transaction to its arrival at a webhook receiver. Every event
 * also goes to a receiver that refuses connections and to a receiver that never answers.
 */
export async function webhookLatency(stage: Stage, seconds: number): Promise<Figures> {
  const { platform, token } = stage;
  const namePrefix = `event-${randomUUID()}-`;
  // by the event's id, because webhooks are delivered at least once
  const arrivals = new Map<string, number>();
  const healthy = createServer((request, response) => {
    const arrivedAt = Date.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(204).end();
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8")) as TemplateEvent;
      if (event.data.name.startsWith(namePrefix) && !arrivals.has(event.id))
        arrivals.set(event.id, arrivedAt - Date.parse(event.time));
    });
  });
  const hanging = createServer((request) => request.resume());
  const dead = createServer();
  for (const server of [healthy, hanging, dead])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const urls = [healthy, hanging, dead].map(urlOf);
  dead.close();
  const database = new pg.Client({ connectionString: stage.databaseUrl });
  await database.connect();
  const post = (path: string, body: unknown) => call("POST", platform.publicUrl + path, { token, body });
  const subscriptionIds: string[] = [];
  try {
    for (const endpointUrl of urls) {
      const body = { eventType: "TemplateRegistered", endpointUrl, signingSecretRef: "bench-webhooks" };
      const subscription = await call<{ subscriptionId: string }>(
        "POST",
        `${platform.publicUrl}/webhooks/subscriptions`,
        { token, body },
      );
      subscriptionIds.push(subscription.body.subscriptionId);
    }
    const sentCount = eventsPerSecond * seconds;
    const before = await spent(stage, database);
    const start = Date.now();
    const underWay = new Set<Promise<unknown>>();
    for (let place = 0; place < sentCount; place += 1) {
      await sleep(Math.max(0, start + (place * 1000) / eventsPerSecond - Date.now()));
      if (underWay.size >= mostUnderWay) await Promise.race(underWay);
      const answer = post("/v1/templates", { name: `${namePrefix}${place}`, category: "Service" });
      underWay.add(answer);
      void answer.finally(() => underWay.delete(answer)).catch(() => undefined);
    }
    await Promise.all(underWay);
    const answeredMs = Date.now() - start;
    const deadline = Date.now() + arrivalTimeoutMs;
    while (arrivals.size < sentCount && Date.now() < deadline) await sleep(50);
    const after = await spent(stage, database);
    const latenciesMs = [...arrivals.values()];
    const p95 = percentile(latenciesMs, 0.95);
    const isMet = arrivals.size === sentCount && p95 <= goalMs;
    return {
      title: `Event to webhook receiver at ${eventsPerSecond} events/s for ${seconds} s, beside a dead and a hanging one`,
      values: {
        sent: sentCount,
        arrived: latenciesMs.length,
        "events/s": (sentCount * 1000) / answeredMs,
        "p50 ms": percentile(latenciesMs, 0.5),
        "p95 ms": p95,
        "p99 ms": percentile(latenciesMs, 0.99),
        ...(await stretches(database, namePrefix)),
        // CPU time for the complete path: the request, its outbox row, the bus, the event log and three webhook
        // messages
        "platform CPU us/event": (after.platformCpu - before.platformCpu) / sentCount,
        "PostgreSQL CPU us/event": (after.postgresCpu - before.postgresCpu) / sentCount,
        "transactions/event": (after.transactions - before.transactions) / sentCount,
        "attempts/event": (after.attempts - before.attempts) / sentCount,
      },
      verdict: `goal: p95 at most ${goalMs} ms; result: ${isMet ? "met" : "MISSED"}`,
    };
  } finally {
    // a later round on the same platform would send to these receivers too
    for (const id of subscriptionIds)
      await fetch(`${platform.publicUrl}/webhooks/subscriptions/${id}`, {
        ...{ method: "DELETE", headers: { authorization: `Bearer ${token}` } },
      });
    await database.end();
    for (const server of [healthy, hanging]) server.closeAllConnections();
    for (const server of [healthy, hanging]) server.close();
  }
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;

async function spent({ platform, postgresPid }: Stage, database: pg.Client) {
  const { rows } = await database.query<{ transactions: string; attempts: string }>(
    `select sum(xact_commit) as transactions, (select count(*) from integration.webhook_attempts) as attempts
     from pg_stat_database`,
  );
  return {
    platformCpu: await cpuOf(platform.pid),
    postgresCpu: await cpuOfFamily(postgresPid),
    transactions: Number(rows[0]?.transactions),
    attempts: Number(rows[0]?.attempts),
  };
}

/**
 * The latency's parts: the time until the event is in the event log (request, outbox and bus), and the time after that.
 */
async function stretches(database: pg.Client, namePrefix: string): Promise<Record<string, number>> {
  const { rows } = await database.query<{ logged: number; sent: number; answered: number }>(
    `select percentile_cont(0.95) within group (order by extract(epoch from recorded_at - (event_log.envelope->>'time')::timestamptz)) * 1000 as logged,
       percentile_cont(0.95) within group (order by extract(epoch from started_at - recorded_at)) * 1000 as sent,
       percentile_cont(0.5) within group (order by duration_ms) as answered
     from integration.event_log join integration.webhook_messages message using (tenant_id, event_id)
       join integration.webhook_attempts attempt using (tenant_id, message_id)
     where event_log.envelope->'data'->>'name' like '${namePrefix}%' and attempt.outcome = 'Succeeded'`,
  );
  return {
    "p95 ms until logged": rows[0]?.logged ?? Number.NaN,
    "p95 ms from log to sending": rows[0]?.sent ?? Number.NaN,
    "p50 ms of an attempt": rows[0]?.answered ?? Number.NaN,
  };
}
