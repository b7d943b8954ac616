import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { SmallDisk } from "@factory/runtime/files/small-disk.fixture";
import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformHome } from "../kit/platform-home.js";
import { aReportDefinitionId, aReportRun, endedReportRun, lastYear } from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished, type TestVersion } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

let home: PlatformHome;
let platform: PlatformProcess;
/** The disk of DATA_DIR and FILES_DIR, and the one of temporary folders. */
let dataDisk: SmallDisk;
let temporaryDisk: SmallDisk;
let token: string;
let version: TestVersion;
const lines: string[] = [];

beforeAll(async () => {
  [dataDisk, temporaryDisk] = [await SmallDisk.open(64), await SmallDisk.open(64)];
  home = await PlatformHome.open({ dataDir: await madeFolder(dataDisk.path, "data") });
  platform = await home.start(
    { TMPDIR: await madeFolder(temporaryDisk.path, "temporary"), RATE_LIMIT_FACTOR: "1000" },
    (line) => lines.push(line),
  );
  home.use(platform);
  const tenant = await aTenant();
  token = await tenant.tokenWith();
  version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
});
afterAll(async () => {
  for (const disk of [dataDisk, temporaryDisk]) await disk?.free();
  await platform?.stop();
  await home?.close();
  for (const disk of [dataDisk, temporaryDisk]) await disk?.close();
});

async function madeFolder(...path: [string, string]): Promise<string> {
  const folder = join(...path);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

interface Readiness {
  readonly checks: Readonly<Record<string, string>>;
}

const readiness = () => request<Readiness>("GET /readyz", {});
const isRed = async (folders: string) => {
  const { status, body } = await readiness();
  return status === 503 && body.checks["failingFolders"] === folders;
};
const isGreen = async () => {
  const { status, body } = await readiness();
  return status === 200 && body.checks["files"] === "ok";
};

const target = (repository: string) => ({ parameters: { name: "Orders" }, target: { repository, branch: "main" } });

const requestExecution = async (repository: string): Promise<string> => {
  const { templateId, templateVersionId } = version;
  const { status, text, body } = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
    token,
    body: { templateVersionId, ...target(repository) },
  });
  if (status !== 202) throw new Error(text);
  return body.executionId;
};

const statusOf = async (executionId: string) =>
  (await request<{ status: string }>(`GET /v1/templates/${version.templateId}/executions/${executionId}`, { token }))
    .body.status;

/** Reads the source of a version, which needs a temporary folder. */
const validate = ({ templateId, templateVersionId }: TestVersion) =>
  request<{ code: string }>(`POST /v1/templates/${templateId}/validate`, { token, body: { templateVersionId } });

const registers = async () =>
  (
    await request("POST /v1/templates", {
      token,
      body: { name: `template-${Math.random().toString(36).slice(2)}`, category: "Service" },
    })
  ).status;

const requestReport = async (): Promise<string> => {
  const path = `POST /v1/reports/${await aReportDefinitionId(token)}/generate`;
  const { body } = await request<{ reportRunId: string }>(path, {
    token,
    body: { format: "csv", parameters: lastYear },
  });
  return body.reportRunId;
};

const linesAbout = (folder: string, message: string) =>
  lines.filter((line) => line.includes(`"folder":"${folder}"`) && line.includes(message));

it("executions wait for the disk of temporary folders, and lose no attempt; all else goes on", async () => {
  expect((await executed(token, version, target("acme/before"))).status).toBe("Completed");
  const unread = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
  await temporaryDisk.fill();
  // a folder that is away without an error of the disk is known by the next probe only
  const early = temporaryDisk.isMounted ? [await requestExecution("acme/early")] : [];
  await eventually("it is not ready and names the folder", () => isRed("TMPDIR"));
  const waiting = [...early, await requestExecution("acme/late")];
  const refused = await validate(unread);
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "UNAVAILABLE", "5"]);
  expect(await registers()).toBe(201);
  expect((await aReportRun(token)).status).toBe("Completed");
  for (const executionId of waiting) expect(["Requested", "Running"]).toContain(await statusOf(executionId));
  await temporaryDisk.free();
  for (const executionId of waiting)
    expect(await finished(token, version.templateId, executionId)).toMatchObject({ status: "Completed", error: null });
  await eventually("it is ready again", isGreen);
  expect((await validate(unread)).status).toBe(200);
  expect(linesAbout("TMPDIR", "the platform cannot write files")).toHaveLength(1);
  expect(linesAbout("TMPDIR", "the platform can write files again")).toHaveLength(1);
});

it("executions and reports wait for the disk of DATA_DIR and FILES_DIR; what needs no new file goes on", async () => {
  const { output } = await executed(token, version, target("acme/kept"));
  // the first clone puts the repository into the cache
  await (await cloneOf(output?.repository ?? "", token)).remove();
  await dataDisk.fill();
  const early = dataDisk.isMounted ? [await requestReport()] : [];
  await eventually("it is not ready and names the folders", () => isRed("DATA_DIR, FILES_DIR"));
  const execution = await requestExecution("acme/waits");
  const reports = [...early, await requestReport()];
  expect(await registers()).toBe(201);
  if (dataDisk.isMounted) {
    const clone = await cloneOf(output?.repository ?? "", token);
    expect(clone.files).toContain("Orders/Orders.csproj");
    await clone.remove();
  }
  await eventually("the execution has begun", async () => (await statusOf(execution)) === "Running");
  await dataDisk.free();
  expect(await finished(token, version.templateId, execution)).toMatchObject({ status: "Completed", error: null });
  for (const report of reports)
    expect(await endedReportRun(token, report)).toMatchObject({ status: "Completed", error: null });
  await eventually("it is ready again", isGreen);
  expect(linesAbout("FILES_DIR", "the platform cannot write files")).toHaveLength(1);
});

/** Sets how many files and connections the platform may have open, where the system has such a command. */
const limitDescriptors = (count: number) =>
  spawnSync("prlimit", ["--pid", String(platform.pid), `--nofile=${count}:`]).status === 0;

it("file descriptors that run out are logged once, and the platform goes on when there are some again", async () => {
  await eventually("it notices", () => {
    // files that the platform has closed meanwhile would leave it room
    const open = readdirSync(`/proc/${platform.pid}/fd`).length;
    if (!limitDescriptors(open)) throw new Error("The limit of a running process cannot be set here");
    return linesAbout("file descriptors", "the platform cannot write files").length === 1;
  });
  // connections that are open already are served
  expect([201, 503]).toContain(await registers().catch(() => 503));
  await sleep(7000);
  expect(lines.filter((line) => line.includes("cannot write files") && line.includes("descriptors"))).toHaveLength(1);
  limitDescriptors(4096);
  await eventually("it is ready again", isGreen);
  expect(linesAbout("file descriptors", "the platform can write files again")).toHaveLength(1);
  expect(await registers()).toBe(201);
  expect((await executed(token, version, target("acme/after"))).status).toBe("Completed");
});
