import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/gateway/standalone/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/gateway/standalone/platform-process";
import { tenantScopes } from "@factory/schema/scopes";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { request } from "../kit/request.js";
import type { TestExecution } from "../kit/templates.js";

/** Generous: what a killed process ran is taken up again at the next start. */
const takeoverMs = 90_000;
const phases = ["fetching", "rendering", "injecting", "pushing", "pushed", "completed"];

/** A platform of its own whose process dies at the failpoint; the next start finds the execution as it was left. */
async function dieAt(phase: string, onStart: (started: { platform?: PlatformProcess; dataDir: string }) => void) {
  const dataDir = await temporaryDataDirectory();
  const first = await startPlatformProcess(dataDir, { FAIL: `execution.${phase}:kill:1` });
  onStart({ platform: first, dataDir });
  const admin = await accessToken(first, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(first, admin, "crash", "Crash");
  const client = await createTenantClient(first, admin, tenantId, { name: "test", scopes: tenantScopes });
  const token = await accessToken(first, client);
  const post = async <T>(path: string, body: unknown) =>
    (await request<T>(`POST ${path}`, { base: first.publicUrl, token, body })).body;
  const { templateId } = await post<{ templateId: string }>("/v1/templates", { name: "Web API" });
  const { templateVersionId } = await post<{ templateVersionId: string }>(`/v1/templates/${templateId}/versions`, {
    semanticVersion: "1.0.0",
    engineKind: "DotnetNewTemplatePack",
    targetFramework: "net8.0",
    sourceRef: `git+file://${dataDir}/samples/web-api.git#main`,
  });
  const execution = {
    templateVersionId,
    target: { repository: "acme/orders" },
    libraries: [{ packageName: "Polly", version: "8.4.2" }],
  };
  const { executionId } = await post<{ executionId: string }>(`/v1/templates/${templateId}/execute`, execution);
  expect(await first.ended).toBeNull();

  const second = await startPlatformProcess(dataDir);
  onStart({ platform: second, dataDir });
  const freshToken = await accessToken(second, client);
  const read = async () =>
    (
      await request<TestExecution & { attempts: number }>(`GET /v1/templates/${templateId}/executions/${executionId}`, {
        base: second.publicUrl,
        token: freshToken,
      })
    ).body;
  await eventually(`${phase}: it completes`, async () => (await read()).status === "Completed", takeoverMs);
  const { output, attempts } = await read();
  const clone = await cloneOf(second.publicUrl + new URL(output?.repository ?? "").pathname, freshToken);
  const { commits, files } = clone;
  await clone.remove();
  return { attempts, commits: commits.length, project: files.includes("src/orders/orders.csproj") };
}

describe("kill -9 at every phase of an execution", () => {
  const platforms: PlatformProcess[] = [];
  const folders = new Set<string>();

  afterAll(async () => {
    await Promise.all(platforms.map((platform) => platform.stop()));
    await Promise.all([...folders].map((folder) => removeData(folder)));
  });

  it("is taken up by the next start and makes one commit", async () => {
    const outcomes = await Promise.all(
      phases.map(async (phase) => [
        phase,
        await dieAt(phase, ({ platform, dataDir }) => {
          if (platform) platforms.push(platform);
          folders.add(dataDir);
        }),
      ]),
    );
    const resumed = { attempts: 2, commits: 1, project: true };
    expect(Object.fromEntries(outcomes)).toEqual({
      ...Object.fromEntries(phases.map((phase) => [phase, resumed])),
      // it had ended: whoever takes the job over finds nothing to do
      completed: { ...resumed, attempts: 1 },
    });
  }, 180_000);
});
