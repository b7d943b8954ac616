import { readJson } from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { kills } from "../kit/kills.js";

/** Where the process is killed: after the claim, before the commit of the outcomes, and after it. */
const phases = ["claimed", "ending", "ended"] as const;
const perKill = 5;

describe("kill -9 while deliveries are handled", () => {
  const tenant = decodeId("ten", newId("ten"));
  let dataDir: string;
  let platform: PlatformProcess;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const client = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Inserts accepted deliveries with their runs. Their payloads were deleted, which does not matter here. */
  const accept = () =>
    sql(
      `with accepted as materialized (
         select gen_random_uuid() as delivery_id, gen_random_uuid() as run_id, repeat('a', 32) as trace_id
         from generate_series(1, $2)),
       run as (
         insert into integration.runs (tenant_id, run_id, delivery_id, operation, status, max_attempts, correlation_id,
           traceparent)
         select $1, run_id, delivery_id, 'ProcessDelivery', 'Queued', 5, trace_id,
           '00-' || trace_id || '-' || repeat('b', 16) || '-01' from accepted)
       insert into integration.webhook_deliveries (tenant_id, delivery_id, provider_id, provider_key,
         provider_delivery_id, event_name, normalized_event_type, body_sha256, run_id, status, next_attempt_at, trace_id)
       select $1, delivery_id, gen_random_uuid(), 'vendor', delivery_id, 'push', 'CommitsPushed', '', run_id, 'Accepted',
         now(), trace_id from accepted`,
      [tenant, perKill],
    );

  /** Starts the platform, gives it deliveries, and waits until their handling has killed the process. */
  async function killedOnce(phase: string): Promise<void> {
    // a delivery of an earlier kill may kill the process before it is ready
    const started = await startPlatformProcess(dataDir, { FAIL: `delivery.${phase}:kill:1` }).catch((error: Error) => {
      expect(error.message).toContain("ended with null");
    });
    if (!started) return;
    platform = started;
    await accept().catch(() => undefined);
    expect(await platform.ended).toBeNull();
  }

  it("loses no accepted delivery, publishes no event twice and leaves no run open", async () => {
    for (let count = 0; count < kills; count += 1) await killedOnce(phases[count % phases.length] ?? "claimed");
    platform = await startPlatformProcess(dataDir);
    await accept();
    // The claims of the killed processes end now, and not after 30 s.
    await sql("update integration.webhook_deliveries set next_attempt_at = now() where status = 'Processing'");
    await eventually("every delivery is handled", async () => {
      const [open] = await sql<{ count: number }>(
        "select count(*)::int as count from integration.webhook_deliveries where status <> 'Processed'",
      );
      return open?.count === 0;
    });
    const deliveries = await sql<{ delivery_id: string; attempts: number; run_status: string; steps: string[] }>(
      `select delivery.delivery_id, delivery.attempts, run.status as run_status,
         array(select step->>'status' from jsonb_array_elements(run.steps) step) as steps
       from integration.webhook_deliveries delivery join integration.runs run using (tenant_id, run_id)`,
    );
    expect(deliveries.length).toBeGreaterThan(perKill);
    const events = await sql<{ subject: string; types: string[] }>(
      `select envelope->>'subject' as subject, array_agg(envelope->>'type' order by seq) as types
       from integration.outbox where tenant_id = $1 group by 1`,
      [tenant],
    );
    const typesOf = new Map(events.map(({ subject, types }) => [subject, types]));
    for (const { delivery_id, ...delivery } of deliveries) {
      expect(delivery).toEqual({ attempts: 1, run_status: "Completed", steps: ["Running", "Completed"] });
      expect(typesOf.get(`deliveries/${encodeId("whd", delivery_id)}`)).toEqual([
        "CommitsPushed",
        "WebhookDeliveryProcessed",
      ]);
    }
    expect(typesOf.size).toBe(deliveries.length);
  }, 300_000);
});
