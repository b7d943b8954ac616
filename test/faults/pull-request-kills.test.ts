import { accessToken, createTenantClient, ensureTenant } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { tenantScopes } from "@factory/schema/scopes";
import { eventually } from "../kit/eventually.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformHome } from "../kit/platform-home.js";
import { aSourceControlConnection, type ExecutionWithPullRequest } from "../kit/pull-requests.js";
import { request } from "../kit/request.js";
import { aSourceControlVendor, type SourceControlVendor } from "../kit/source-control-vendor.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";

/** A generous limit for the time until the next start continues the work of a killed process. */
const takeoverMs = 360_000;

describe("kill -9 while an execution opens a pull request", () => {
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;
  let vendor: SourceControlVendor;

  const start = async (FAIL?: string) => {
    platform = await home.start({ RATE_LIMIT_FACTOR: "1000", ...(FAIL && { FAIL }) });
    home.use(platform);
    return platform;
  };

  beforeAll(async () => {
    [home, vendor] = await Promise.all([
      PlatformHome.open(),
      aSourceControlVendor({ dialect: "github", token: "vendor-token" }),
    ]);
    await vendor.create("acme/orders");
  });
  afterAll(async () => {
    await platform?.stop();
    await home.close();
    await vendor.close();
  });

  it("between the push and the request, and after the vendor has opened it: one commit, one pull request", async () => {
    const first = await start("execution.pushed:kill:1");
    const admin = await home.adminToken(first);
    const { tenantId } = await ensureTenant(first, admin, "crash", "Crash");
    const client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
    const token = await accessToken(first, client);
    const { connectionId } = await aSourceControlConnection(token, "github", vendor, "vendor-token");
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
    const target = { repository: "acme/orders", connectionId, pullRequest: { labels: ["scaffold"] } };
    const body = { templateVersionId, parameters: { name: "Orders" }, target };
    const path = `/v1/templates/${templateId}/execut`;
    const { executionId } = (await request<{ executionId: string }>(`POST ${path}e`, { token, body })).body;
    const branch = `scaffold/${executionId}`;
    expect(await first.ended).toBeNull();
    expect(vendor.pullRequests).toEqual([]);
    const pushed = await vendor.git("acme/orders", "rev-parse", branch);

    const second = await start("sourceControl.opened:kill:1").catch((error: Error) => {
      expect(error.message).toContain("ended with null");
    });
    if (second) expect(await second.ended).toBeNull();
    expect(vendor.pullRequests).toMatchObject([{ branch, labels: [] }]);

    const third = await start();
    const freshToken = await accessToken(third, client);
    const read = async () =>
      (await request<ExecutionWithPullRequest>(`GET ${path}ions/${executionId}`, { token: freshToken })).body;
    await eventually("the execution completes", async () => (await read()).status === "Completed", takeoverMs);
    expect(await read()).toMatchObject({
      ...{ warnings: [], output: { commitSha: pushed, branch } },
      pullRequest: { number: 1, state: "Open" },
    });
    expect(vendor.pullRequests).toMatchObject([{ branch, labels: ["scaffold"], state: "open" }]);
    expect(await vendor.git("acme/orders", "rev-list", "--count", `main..${branch}`)).toBe("1");
  });
});
