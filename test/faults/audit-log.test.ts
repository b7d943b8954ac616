import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
} from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { graphql, request } from "../kit/request.js";

const takeoverMs = 180_000;
/** In both suites the process is killed before and after a commit. */
const kills = killsAt(2);

let home: PlatformHome;
let platform: PlatformProcess | undefined;

beforeEach(async () => {
  home = await PlatformHome.open();
});
afterEach(async () => {
  await platform?.stop();
  await home.close();
});

async function started(fail?: string): Promise<PlatformProcess> {
  platform = await home.start({ RATE_LIMIT_FACTOR: "1000", ...(fail === undefined ? {} : { FAIL: fail }) });
  return platform;
}

/** Starts the platform and waits until the failpoint kills it, which may be before it is ready. */
async function killedAt(fail: string, whileItRuns: (running: PlatformProcess) => Promise<void>): Promise<void> {
  const running = await started(fail).catch(() => undefined);
  if (!running) return;
  let over = false;
  const ended = running.ended.finally(() => {
    over = true;
  });
  while (!over) await whileItRuns(running).catch(() => new Promise((resolve) => setTimeout(resolve, 100)));
  expect(await ended).toBeNull();
}

async function aTenantOf(running: PlatformProcess, slug: string) {
  const admin = await home.adminToken(running);
  const { tenantId } = await ensureTenant(running, admin, slug, slug);
  const client = await createTenantClient(running, admin, tenantId, { name: "test", scopes: tenantScopes });
  return { tenantId, uuid: decodeId("ten", tenantId) ?? "", client };
}

const register = (running: PlatformProcess, token: string, name: string) =>
  request("POST /v1/templates", { base: running.publicUrl, token, body: { name, category: "Service" } });

async function verified(running: PlatformProcess, client: ClientCredentials): Promise<unknown> {
  const token = await accessToken(running, client);
  const { body } = await graphql<{ verifyAuditLog: { status: string } }>("{ verifyAuditLog { status } }", {
    base: running.publicUrl,
    token,
  });
  return body.data.verifyAuditLog.status;
}

describe("kill -9 of the process that chains audit records", () => {
  it("loses no record and chains none twice", async () => {
    const { uuid, client } = await aTenantOf(await started(), "chained");
    await platform?.stop();
    let names = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      // the records that the former process left pass the failpoint first
      const place = kill % 2 === 0 ? "chaining" : "chained";
      await killedAt(`audit.${place}:kill:3`, async (running) => {
        const token = await accessToken(running, client);
        for (;;) {
          names += 1;
          await register(running, token, `template-${names}`);
        }
      });
    }
    const last = await started();
    const templates = await home.rows<{ subject: string }>(
      "select name as subject from catalog.templates where tenant_id = $1",
      [uuid],
    );
    expect(templates.length).toBeGreaterThan(kills);
    const chained = () =>
      home.rows<{ count: number; different: number; head: number; newest: number }>(
        `select count(*)::int as count, count(distinct subject)::int as different,
           (select position from spine.audit_heads where tenant_id = $1)::int as head,
           (select max(position) from spine.audit_records where tenant_id = $1)::int as newest
         from spine.audit_records
         where tenant_id = $1 and operation = 'registerTemplate' and outcome = 'Succeeded'`,
        [uuid],
      );
    await eventually(
      "every template has its record",
      async () => ((await chained())[0]?.count ?? 0) >= templates.length,
      takeoverMs,
    );
    const [found] = await chained();
    expect(found).toMatchObject({ count: templates.length, different: templates.length });
    expect(found?.head).toBe(found?.newest);
    expect(await verified(last, client)).toBe("Intact");
  });
});

describe("kill -9 of the process that seals audit logs", () => {
  it("leaves one seal and one event of each log that was due", async () => {
    const first = await started();
    const tenants = [];
    for (let number = 0; number < kills; number += 1) {
      const tenant = await aTenantOf(first, `sealed-${number}`);
      await register(first, await accessToken(first, tenant.client), "a");
      tenants.push(tenant);
    }
    const uuids = tenants.map(({ uuid }) => uuid);
    await eventually("every log has records", async () => {
      const heads = await home.rows("select from spine.audit_heads where tenant_id = any($1) and position > 0", [
        uuids,
      ]);
      return heads.length === kills;
    });
    await first.stop();
    // as on the next day
    await home.rows(
      "update spine.audit_heads set unsealed_since = now() - interval '1 day' where tenant_id = any($1)",
      [uuids],
    );
    for (let kill = 0; kill < kills; kill += 1)
      await killedAt(`audit.${kill % 2 === 0 ? "sealing" : "sealed"}:kill:1`, async () => {
        await new Promise((resolve) => setTimeout(resolve, 50));
      });
    const last = await started();
    const seals = () =>
      home.rows<{ seals: number; events: number }>(
        `select (select count(*)::int from spine.audit_seals seal where seal.tenant_id = asked.tenant_id) as seals,
           (select count(*)::int from spine.outbox event where event.tenant_id = asked.tenant_id
              and event.type = 'AuditLogSealed') as events from unnest($1::uuid[]) as asked(tenant_id)`,
        [uuids],
      );
    await eventually(
      "every log is sealed",
      async () => (await seals()).every(({ seals: made }) => made > 0),
      takeoverMs,
    );
    expect(await seals()).toEqual(uuids.map(() => ({ seals: 1, events: 1 })));
    for (const { client } of tenants.slice(0, 2)) expect(await verified(last, client)).toBe("Intact");
  });
});
