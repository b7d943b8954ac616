import { accessToken, createTenantClient, ensureTenant } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { tenantScopes } from "@factory/schema/scopes";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { request } from "../kit/request.js";
import type { TestExecution } from "../kit/templates.js";

/** The limit of deaths: three with other executions, three alone, and some more before the first death was recorded. */
const deathsAtMost = 9;
const deadlineMs = 180_000;

type Failed = TestExecution & { error: { code: string } | null };

describe("an execution that kills its process", () => {
  let home: PlatformHome;
  let platform: PlatformProcess | undefined;

  beforeAll(async () => {
    home = await PlatformHome.open();
  });
  afterAll(async () => {
    await platform?.stop();
    await home.close();
  });

  it("does not stay Running: when the process has died three times with only this execution, it is Failed with WORKER_DIED, and other executions run", async () => {
    const first = await home.start({ FAIL: "execution.rendering:kill:1" });
    const admin = await home.adminToken(first);
    const { tenantId } = await ensureTenant(first, admin, "deaths", "Deaths");
    const client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
    const made = await accessToken(first, client);
    const post = async <T>(path: string, body: unknown) =>
      (await request<T>(`POST ${path}`, { base: first.publicUrl, token: made, body })).body;
    const { templateId } = await post<{ templateId: string }>("/v1/templates", { name: "Web API" });
    const { templateVersionId } = await post<{ templateVersionId: string }>(`/v1/templates/${templateId}/versions`, {
      semanticVersion: "1.0.0",
      engineKind: "DotnetNewTemplatePack",
      targetFramework: "net8.0",
      sourceRef: `git+file://${home.dataDir}/samples/web-api.git#main`,
    });
    const body = { templateVersionId, target: { repository: "acme/orders" } };
    const { executionId } = await post<{ executionId: string }>(`/v1/templates/${templateId}/execute`, body);
    const read = async ({ publicUrl: base }: PlatformProcess, token: string, id: string) =>
      (await request<Failed>(`GET /v1/templates/${templateId}/executions/${id}`, { base, token })).body;
    await first.ended;

    let deaths = 1;
    let ended: Failed | undefined;
    while (!ended && deaths < deathsAtMost) {
      // the platform may be killed before it is ready
      const next = await home.start({ FAIL: "execution.rendering:kill:1" }).catch(() => undefined);
      const token = next && (await accessToken(next, client).catch(() => undefined));
      const died = next?.ended.then(() => true) ?? Promise.resolve(true);
      let dead = false;
      void died.then(() => (dead = true));
      if (next && token !== undefined)
        await eventually(
          "the platform ends or the execution ends",
          async () => {
            const execution = await read(next, token, executionId).catch(() => undefined);
            if (execution?.status === "Failed") ended = execution;
            return dead || ended !== undefined;
          },
          deadlineMs,
        );
      else await died;
      if (ended) await next?.stop();
      else deaths += 1;
    }
    expect(ended?.error).toMatchObject({ code: "WORKER_DIED" });
    expect(deaths).toBeGreaterThanOrEqual(6);

    const last = await home.start();
    platform = last;
    const token = await accessToken(last, client);
    const accepted = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
      base: last.publicUrl,
      token,
      body,
    });
    const completed = async () => (await read(last, token, accepted.body.executionId)).status === "Completed";
    await eventually("another execution completes", completed, deadlineMs);
  });
});
