import { readdirSync, readFileSync } from "node:fs";
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
let tenant: TestTenant;
let token: string;
let reportRunId: string;
/** The folders of all processes, by their settings. */
let folders: { FILES_DIR: string; REPOSITORIES_DIR: string };

const start = (variables: Record<string, string> = {}) =>
  group.start({ REPOSITORY_STORE: "folder", ...folders, ...variables });
const accept = async (...args: string[]) =>
  (await tool("accept-folder", args, { DATABASE_URL: group.databaseUrl, ...folders })).output;
const content = ({ publicUrl }: PlatformProcess) =>
  request(`GET /v1/reports/runs/${reportRunId}/content`, { token, base: publicUrl });
const lastLine = () => (JSON.parse(group.log.at(-1) ?? "{}") as { msg?: string }).msg;

beforeAll(async () => {
  group = await PlatformGroup.open();
  folders = {
    FILES_DIR: join(group.databaseFolder, "files"),
    REPOSITORIES_DIR: join(group.databaseFolder, "repositories"),
  };
});
afterAll(() => group?.close());

it("of two first starts at once with a folder each, the second is refused", async () => {
  const places = ["a", "b"].map((name) => join(group.databaseFolder, name));
  const starts = await Promise.allSettled(places.map((FILES_DIR) => start({ FILES_DIR })));
  expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refusal = starts.find((each) => each.status === "rejected")?.reason as Error;
  expect(refusal.message).toContain("ended with 78");
  expect(group.log.join("\n")).toMatch(/FILES_DIR=\S+\/[ab] is not the folder that this database knows/);
  const [platform] = starts.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  await platform?.stop();
  await rename(places[starts.findIndex(({ status }) => status === "fulfilled")] ?? "", folders.FILES_DIR);
});

it("another process serves contents and repositories, DATA_DIR has nothing that is not declared, and PUBLIC_URL is the same", async () => {
  const [first, second] = [await start(), await start()];
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
  for (const process of [first, second]) await process.stop();
});

it("a backup has the repositories of the folder, and a restored platform serves them", async () => {
  const place = (name: string) => join(group.databaseFolder, name);
  const tools = { ...suiteVariables, REPOSITORY_STORE: "folder", DATA_DIR: place("unused") };
  const former = { ...folders, DATABASE_URL: group.databaseUrl };
  expect(await tool("backup", [place("backup")], { ...tools, ...former })).toMatchObject({ code: 0 });
  await rowsIn(group.databaseUrl, "create database restored", []);
  const target = {
    FILES_DIR: place("restored-files"),
    REPOSITORIES_DIR: place("restored-repositories"),
    DATABASE_URL: Object.assign(new URL(group.databaseUrl), { pathname: "restored" }).href,
  };
  expect(await tool("restore", [place("backup")], { ...tools, ...target })).toMatchObject({ code: 0 });
  const restored = await start(target);
  try {
    expect((await content(restored)).status).toBe(200);
    const clone = await cloneOf(`${restored.publicUrl}/git/${tenant.slug}/acme/shared.git`, token);
    expect(clone.commits).toHaveLength(2);
    await clone.remove();
  } finally {
    await restored.stop();
  }
});

it("a process whose folder is another one takes no requests until the folder is back", async () => {
  const platform = await start();
  const away = `${folders.FILES_DIR}-away`;
  await rename(folders.FILES_DIR, away);
  await mkdir(folders.FILES_DIR);
  const ready = () => request<{ checks: Record<string, string> }>("GET /readyz", { base: platform.publicUrl });
  await eventually("it is not ready and names the folder", async () => {
    const { status, body } = await ready();
    return status === 503 && body.checks["failingFolders"] === "FILES_DIR";
  });
  await rm(folders.FILES_DIR, { recursive: true });
  await rename(away, folders.FILES_DIR);
  await eventually("it is ready again", async () => (await ready()).status === 200);
  await platform.stop();
});

it.each([
  ["FILES_DIR", () => `lacks 1 of 1 report contents:\n  ${reportRunId} of ${tenant.tenantId}\n`],
  ["REPOSITORIES_DIR", () => `lacks 1 of 1 repositories:\n  acme/shared of ${tenant.tenantId}\n`],
] as const)("a lost %s is refused until it is accepted, after a list of what it lacks", async (setting, lack) => {
  await rename(folders[setting], `${folders[setting]}-lost`);
  await expect(start()).rejects.toThrow("ended with 78");
  expect(lastLine()).toBe(
    `${setting}=${folders[setting]} is not the folder that this database knows: .factory-folder in it is missing. Mount that folder, set ${setting} to the folder of the other processes, or accept this one: npm run -s accept-folder -- ${setting}.`,
  );
  const asked = await accept(setting);
  expect(asked).toContain(`${setting}=${folders[setting]} ${lack()}`);
  expect(asked).toContain(`npm run -s accept-folder -- ${setting} --yes`);
  await expect(start()).rejects.toThrow("ended with 78");
  expect(await accept(setting, "--yes")).toContain("The folder is accepted.");
  const platform = await start();
  expect(await accept(setting, "--yes")).toContain("A process of the platform runs over this database.");
  await expect(start({ [setting]: `${folders[setting]}-lost` })).rejects.toThrow("ended with 78");
  expect(lastLine()).toContain("names another installation");
  if (setting === "FILES_DIR") expect((await content(platform)).status).toBe(503);
  await platform.stop();
});

it("a folder of another installation is refused", async () => {
  const other = await PlatformGroup.open();
  try {
    await expect(other.start({ FILES_DIR: folders.FILES_DIR })).rejects.toThrow("ended with 78");
    expect(other.log.join("\n")).toContain(`FILES_DIR=${folders.FILES_DIR} belongs to another database.`);
    const own = join(other.databaseFolder, "files");
    await (await other.start({ FILES_DIR: own })).stop();
    const databaseOf = { DATABASE_URL: other.databaseUrl, FILES_DIR: folders.FILES_DIR };
    const { output } = await tool("accept-folder", ["FILES_DIR"], databaseOf);
    expect(output).toContain("The folder has the mark of another installation.");
    await rm(join(own, ".factory-folder"));
    await mkdir(join(own, ".factory-folder"));
    await expect(other.start({ FILES_DIR: own })).rejects.toThrow("ended with 78");
    expect(other.log.join("\n")).toContain(`FILES_DIR=${own}: .factory-folder in it cannot be read (EISDIR).`);
  } finally {
    await other.close();
  }
});
