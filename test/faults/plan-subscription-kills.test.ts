import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/client/platform-process";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { killsAt } from "../kit/kills.js";
import type { TestPlanSubscription } from "../kit/plan-subscriptions.js";
import { request } from "../kit/request.js";

/** Where the process is killed: before the job's transaction, inside it, and after it. */
const phases = ["taken", "changed", "advanced"] as const;
const kills = killsAt(phases.length);
/** A generous limit for the time until the last start continues the jobs of all killed processes. */
const takeoverMs = 120_000;

interface KilledTenant {
  readonly tenantId: string;
  readonly client: ClientCredentials;
  readonly planId: string;
}

describe("kill -9 in the job that advances plan subscriptions", () => {
  let dataDir: string;
  let platform: PlatformProcess;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir);
  });
  afterAll(async () => {
    await platform?.stop();
    await removeData(dataDir);
  });

  async function sql<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const { host, port, user, password } = await readJson<Record<string, string>>(dataDir, "postgres.json");
    const client = new pg.Client(`postgres://${user}:${password}@${host}:${port}/postgres`);
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async function anActiveTenant(slug: string): Promise<KilledTenant> {
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, slug, slug);
    const scopes = ["subscription.read", "subscription.manage"] as const;
    const client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: [...scopes] });
    const options = { base: platform.publicUrl, token: await accessToken(platform, client) };
    const list = await request<{ items: TestPlanSubscription[] }>("GET /v1/subscriptions", options);
    const planId = list.body.items[0]?.subscriptionId ?? "";
    await request(`POST /v1/subscriptions/${planId}/activate`, { ...options, body: {} });
    return { tenantId, client, planId };
  }

  /** Ends the period of the tenant now; the platform renews it. */
  const endPeriod = ({ tenantId }: KilledTenant) =>
    sql(
      `update spine.plan_subscriptions set current_period_end = now(), next_change_at = now(), change_sent_at = null
       where tenant_id = $1`,
      [decodeId("ten", tenantId)],
    );

  const eventsOf = async ({ tenantId, planId }: KilledTenant) => {
    const found = await sql<{ type: string }>(
      `select envelope->>'type' as type from spine.outbox
       where tenant_id = $1 and envelope->>'messagekind' = 'event' and envelope->>'subject' = $2 order by seq`,
      [decodeId("ten", tenantId), `subscriptions/${planId}`],
    );
    return found.map(({ type }) => type);
  };

  it("leaves each renewal and each event exactly once", async () => {
    const tenants: KilledTenant[] = [];
    for (let count = 0; count < kills; count += 1) tenants.push(await anActiveTenant(`killed-${count}`));
    await platform.stop();
    for (const [count, tenant] of tenants.entries()) await killedOnce(phases[count % phases.length] ?? "taken", tenant);
    platform = await startPlatformProcess(dataDir);
    for (const tenant of tenants) {
      if ((await eventsOf(tenant)).length < 3) await endPeriodIfOpen(tenant);
      await eventually(
        "the period of each tenant is renewed",
        async () => (await eventsOf(tenant)).length >= 3,
        takeoverMs,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const expected = ["SubscriptionCreated", "SubscriptionActivated", "SubscriptionRenewed"];
    expect(await Promise.all(tenants.map(eventsOf))).toEqual(tenants.map(() => expected));
    const [left] = await sql<{ due: number }>(
      "select count(*)::int as due from spine.plan_subscriptions where next_change_at < now()",
      [],
    );
    expect(left?.due).toBe(0);
  });

  /** Starts the platform, ends the period of the tenant, and waits until the job has killed the process. */
  async function killedOnce(phase: string, tenant: KilledTenant): Promise<void> {
    // a job that an earlier kill interrupted may kill the process before it is ready
    const started = await startPlatformProcess(dataDir, { FAIL: `planSubscription.${phase}:kill:1` }).catch(
      (error: Error) => {
        expect(error.message).toContain("ended with null");
      },
    );
    if (!started) return;
    platform = started;
    await endPeriod(tenant).catch(() => undefined);
    expect(await platform.ended).toBeNull();
  }

  /** A process that was killed by an earlier job may have ended before the period of this tenant did. */
  const endPeriodIfOpen = async (tenant: KilledTenant) => {
    const [row] = await sql<{ open: boolean }>(
      "select next_change_at > now() + interval '1 day' as open from spine.plan_subscriptions where tenant_id = $1",
      [decodeId("ten", tenant.tenantId)],
    );
    if (row?.open) await endPeriod(tenant);
  };
});
