import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { dataDirectoryEntries } from "@factory/platform/settings/data-directory";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import { tool } from "../kit/backups.js";
import { cloneOf } from "../kit/clone.js";
import { rowsIn } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { PlatformGroup } from "../kit/platform-group.js";
import { aReportRun } from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

let group: PlatformGroup;
/** The process that runs until its database is copied. */
let first: PlatformProcess;
let tenant: TestTenant;
let token: string;
let reportRunId: string;
/** The folders of all processes, by their settings. */
let folders: { FILES_DIR: string; REPOSITORIES_DIR: string };

const start = (variables: Record<string, string> = {}) =>
  group.start({ REPOSITORY_STORE: "folder", ...folders, ...variables });
const accept = async (args: readonly string[], variables: Record<string, string> = {}) =>
  (await tool("accept-folder", args, { DATABASE_URL: group.databaseUrl, ...folders, ...variables })).output;
const content = ({ publicUrl }: PlatformProcess) =>
  request(`GET /v1/reports/runs/${reportRunId}/content`, { token, base: publicUrl });
const lastLine = () => (JSON.parse(group.log.at(-1) ?? "{}") as { msg?: string }).msg;
const place = (name: string) => join(group.databaseFolder, name);

beforeAll(async () => {
  group = await PlatformGroup.open();
  folders = { FILES_DIR: place("a"), REPOSITORIES_DIR: place("repositories") };
});
afterAll(() => group?.close());

it("of two first starts at once with a folder each, the second is refused", async () => {
  const places = ["a", "b"].map(place);
  const starts = await Promise.allSettled(places.map((FILES_DIR) => start({ FILES_DIR })));
  expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refusal = starts.find((each) => each.status === "rejected")?.reason as Error;
  expect(refusal.message).toContain("ended with 78");
  expect(group.log.join("\n")).toMatch(/FILES_DIR=\S+\/[ab] is not the folder that this database knows/);
  for (const [at, started] of starts.entries())
    if (started.status === "fulfilled") {
      first = started.value;
      folders.FILES_DIR = places[at] ?? "";
    }
});

it("another process serves contents and repositories, DATA_DIR has nothing that is not declared, and PUBLIC_URL is the same", async () => {
  const second = await start();
  group.use(first);
  tenant = await aTenant();
  token = await tenant.tokenWith();
  ({ reportRunId } = await aReportRun(token));
  expect((await content(second)).status).toBe(200);
  const version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
  const target = { repository: "acme/shared" };
  for (const name of ["One", "Two"]) {
    group.use(name === "One" ? first : second);
    const parameters = { name };
    expect(
      await executed(token, version, { parameters, target: { ...target, onConflict: "overwrite" } }),
    ).toMatchObject({
      status: "Completed",
    });
  }
  const clone = await cloneOf(`${first.publicUrl}/git/${tenant.slug}/acme/shared.git`, token);
  expect(clone.commits).toHaveLength(2);
  await clone.remove();
  const declared = dataDirectoryEntries.map(({ name }) => name);
  for (const { dataDir } of [first, second]) {
    const present = readdirSync(dataDir).filter((name) => !name.startsWith("template-"));
    expect(present.filter((name) => !declared.includes(name))).toEqual([]);
  }
  const guide = readFileSync(new URL("../../gateway/OPERATING.md", import.meta.url), "utf8");
  for (const { name, kind } of dataDirectoryEntries)
    expect(guide).toMatch(new RegExp(`\`${name}\`[^\n]*\\| ${kind} \\|`));
  await expect(start({ PUBLIC_URL: "http://127.0.0.1:1" })).rejects.toThrow("ended with 78");
  expect(lastLine()).toMatch(/^PUBLIC_URL is http:\/\/127\.0\.0\.1:1 here and http:\S+ in another process/);
  await second.stop();
});

it("a process whose folder is another one takes no requests until the folder is back", async () => {
  const away = `${folders.FILES_DIR}-away`;
  await rename(folders.FILES_DIR, away);
  await mkdir(folders.FILES_DIR);
  const ready = () => request<{ checks: Record<string, string> }>("GET /readyz", { base: first.publicUrl });
  await eventually("it is not ready and names the folder", async () => {
    const { status, body } = await ready();
    return status === 503 && body.checks["failingFolders"] === "FILES_DIR";
  });
  await rm(folders.FILES_DIR, { recursive: true });
  await rename(away, folders.FILES_DIR);
  await eventually("it is ready again", async () => (await ready()).status === 200);
});

it("a backup has the repositories of the folder, and a restored platform serves them", async () => {
  const tools = { ...suiteVariables, REPOSITORY_STORE: "folder", DATA_DIR: place("unused") };
  const former = { ...folders, DATABASE_URL: group.databaseUrl };
  expect(await tool("backup", [place("backup")], { ...tools, ...former })).toMatchObject({ code: 0 });
  await first.stop();
  await rowsIn(group.databaseUrl, "create database restored", []);
  const target = {
    FILES_DIR: place("restored-files"),
    REPOSITORIES_DIR: place("restored-repositories"),
    DATABASE_URL: Object.assign(new URL(group.databaseUrl), { pathname: "restored" }).href,
  };
  expect(await tool("restore", [place("backup")], { ...tools, ...target })).toMatchObject({ code: 0 });
  // the restored installation is another one, for which the former folder is foreign
  await expect(start({ ...target, FILES_DIR: folders.FILES_DIR })).rejects.toThrow("ended with 78");
  expect(lastLine()).toContain(`FILES_DIR=${folders.FILES_DIR} belongs to another database.`);
  const restored = await start(target);
  expect((await content(restored)).status).toBe(200);
  const clone = await cloneOf(`${restored.publicUrl}/git/${tenant.slug}/acme/shared.git`, token);
  expect(clone.commits).toHaveLength(2);
  await clone.remove();
  await restored.stop();
  const output = await accept(["FILES_DIR"], { DATABASE_URL: target.DATABASE_URL });
  expect(output).toContain("The folder has the mark of another installation.");
});

it("lost folders are refused until each is accepted, after a list of what it lacks", async () => {
  const lose = (setting: keyof typeof folders) => rename(folders[setting], `${folders[setting]}-lost`);
  await Promise.all([lose("FILES_DIR"), lose("REPOSITORIES_DIR")]);
  const expectRefusal = async (setting: keyof typeof folders) => {
    await expect(start()).rejects.toThrow("ended with 78");
    expect(lastLine()).toBe(
      `${setting}=${folders[setting]} is not the folder that this database knows: .factory-folder in it is missing. Mount that folder, set ${setting} to the folder of the other processes, or accept this one: npm run -s accept-folder -- ${setting}.`,
    );
  };
  const marks = () => rowsIn(group.databaseUrl, "select * from installation.shared_folders order by setting", []);
  await expectRefusal("FILES_DIR");
  const before = await marks();
  expect(before).toHaveLength(2);
  const asked = await accept(["FILES_DIR"]);
  expect(asked).toContain(
    `FILES_DIR=${folders.FILES_DIR} lacks 1 of 1 report contents:\n  ${reportRunId} of ${tenant.tenantId}\n`,
  );
  expect(asked).toContain("npm run -s accept-folder -- FILES_DIR --yes");
  expect([await marks(), existsSync(folders.FILES_DIR)]).toEqual([before, false]);
  expect(await accept(["FILES_DIR", "--yes"])).toContain("The folder is accepted.");
  await expectRefusal("REPOSITORIES_DIR");
  const accepted = await accept(["REPOSITORIES_DIR", "--yes"]);
  expect(accepted).toContain(
    `REPOSITORIES_DIR=${folders.REPOSITORIES_DIR} lacks 1 of 1 repositories:\n  acme/shared of ${tenant.tenantId}\n`,
  );
  const platform = await start();
  expect(await accept(["FILES_DIR", "--yes"])).toContain("A process of the platform runs over this database.");
  expect((await content(platform)).status).toBe(503);
  await platform.stop();
});
