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
import { tenantScopes } from "@factory/schema/scopes";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { platformVariable } from "../kit/platform.js";
import { graphql, request } from "../kit/request.js";
import { aTemplateVersion } from "../kit/templates.js";

interface CountedExecutions {
  readonly entitlements: { readonly items: readonly { readonly featureKey: string; readonly usage: number }[] };
}

describe("kill -9 between the count of an execution and its creation", () => {
  const shared = process.env[platformVariable];
  let dataDir: string;
  let platform: PlatformProcess | undefined;

  const start = async (settings: Record<string, string> = {}) => {
    platform = await startPlatformProcess(dataDir, { PORT: "0", RATE_LIMIT_FACTOR: "1000", ...settings });
    process.env[platformVariable] = JSON.stringify(platform);
    return platform;
  };

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
  });

  afterAll(async () => {
    process.env[platformVariable] = shared;
    await platform?.stop();
    await removeData(dataDir);
  });

  it("leaves nothing counted twice: the same request is counted once, and the lost count is given back", async () => {
    const first = await start({ FAIL: "execution.counted:kill:1" });
    const admin = await accessToken(first, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(first, admin, "counted", "Counted");
    const client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
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

    const second = await start();
    const fresh = await accessToken(second, client);
    const usage = async () => {
      const query = "{ entitlements { items { featureKey usage } } }";
      const { body } = await graphql<CountedExecutions>(query, { token: fresh });
      return body.data.entitlements.items.find(({ featureKey }) => featureKey === "executions.monthly")?.usage;
    };
    expect(await usage()).toBe(1);
    expect((await execute(fresh)).status).toBe(202);
    expect((await execute(fresh)).status).toBe(202);
    // the sweep leaves a reservation alone for a minute
    await rows("update catalog.execution_reservations set reserved_at = now() - interval '5 minutes'");
    await eventually("the lost count is given back", async () => (await usage()) === 1, 60_000);
    expect(await rows("select from catalog.execution_reservations")).toEqual([]);
    expect(await rows("select from catalog.executions")).toHaveLength(1);
  });
});
