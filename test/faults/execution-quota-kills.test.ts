import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
} from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateVersion } from "../kit/templates.js";

interface CountedExecutions {
  readonly entitlements: { readonly items: readonly { readonly featureKey: string; readonly usage: number }[] };
}

/** Where the process is killed in the job that gives a count back. */
const phases = ["marked", "released"] as const;
const kills = killsAt(phases.length);

/**
 * A consumption with its reservation, as a process leaves them that dies before the execution exists, and its job.
 */
const lose = `with consumed as (
    insert into spine.usage_consumptions (tenant_id, feature_key, idempotency_key, amount, subject_id, period_start,
      usage_after, expires_at)
    select tenant_id, feature_key, $2, 1, '', period_start, usage + 1, now() + interval '1 day'
    from spine.usage_counters where tenant_id = $1 and feature_key = 'executions.monthly'),
  counted as (
    update spine.usage_counters set usage = usage + 1 where tenant_id = $1 and feature_key = 'executions.monthly'),
  reserved as (
    insert into catalog.execution_reservations (tenant_id, execution_id, reserved_at, is_ending)
    values ($1, $3, now(), false)),
  owner as materialized (select set_config('app.tenant', $1::text, true))
  select catalog_jobs.send_jobs('return-execution-quota', $4, now()) from owner`;

describe("kill -9 between the count of an execution and its creation", () => {
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;

  const start = async (settings: Record<string, string> = {}) => {
    platform = await home.start({ RATE_LIMIT_FACTOR: "1000", ...settings });
    home.use(platform);
    return platform;
  };

  beforeAll(async () => {
    home = await PlatformHome.open();
  });

  afterAll(async () => {
    await platform?.stop();
    await home.close();
  });

  const usageSeenBy = async (token: string) => {
    const query = "{ entitlements { items { featureKey usage } } }";
    const { body } = await graphql<CountedExecutions>(query, { token });
    return body.data.entitlements.items.find(({ featureKey }) => featureKey === "executions.monthly")?.usage;
  };

  let tenantId: string;
  let client: ClientCredentials;

  it("leaves nothing counted twice: the same request is counted once, and the lost count is given back", async () => {
    const first = await start({ FAIL: "execution.counted:kill:1" });
    const admin = await home.adminToken(first);
    ({ tenantId } = await ensureTenant(first, admin, "counted", "Counted"));
    client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
    const token = await accessToken(first, client);
    const { templateId, templateVersionId } = await aTemplateVersion(token, "stored://nowhere");
    const execute = (authorized: string) =>
      request(`POST /v1/templates/${templateId}/execute`, {
        token: authorized,
        body: { templateVersionId, target: { repository: "acme/orders" } },
        headers: { "idempotency-key": "once" },
      });
    await expect(execute(token)).rejects.toThrow();
    await first.kill();

    // the lost count passes the first failpoint of the job once, and the next count ends the process there
    const second = await start({ FAIL: `executionQuota.${phases[0]}:kill:2` });
    const fresh = await accessToken(second, client);
    const usage = () => usageSeenBy(fresh);
    expect(await usage()).toBe(1);
    expect((await execute(fresh)).status).toBe(202);
    expect((await execute(fresh)).status).toBe(202);
    // the sweep leaves a reservation alone for a minute
    await home.rows("update catalog.execution_reservations set reserved_at = now() - interval '5 minutes'");
    await eventually("the lost count is given back", async () => (await usage()) === 1);
    expect(await home.rows("select from catalog.execution_reservations")).toEqual([]);
    expect(await home.rows("select from catalog.executions")).toHaveLength(1);
  });

  it("gives each count back once when the job that gives counts back is killed too", async () => {
    const losses = Array.from({ length: kills + 2 }, () => newId("exe"));
    for (const executionId of losses) {
      const ids = [decodeId("ten", tenantId), executionId, decodeId("exe", executionId)];
      await home.rows(lose, [...ids, JSON.stringify([{ tenantId, executionId }])]);
    }
    expect(await platform?.ended).toBeNull();
    for (let kill = 1; kill < kills; kill += 1) {
      // at the second pass, so that no job is killed so often that it must wait for a run alone
      const fault = `executionQuota.${phases[kill % phases.length]}:kill:2`;
      // the job may run, and kill the process, before it is ready
      const ended = start({ FAIL: fault }).then(
        (process) => process.ended,
        (error: Error) => (error.message.includes("ended with null") ? null : Promise.reject(error)),
      );
      expect(await ended).toBeNull();
    }
    const token = await accessToken(await start(), client);
    await eventually("every count is given back", async () => (await usageSeenBy(token)) === 1);
    expect(await home.rows("select from catalog.execution_reservations")).toEqual([]);
    expect(await home.rows("select from spine.usage_consumptions where idempotency_key = any($1)", [losses])).toEqual(
      [],
    );
  });
});
