import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { type PostgresServer, startEmbeddedPostgres } from "@factory/runtime/postgres/embedded-postgres";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { tenantScopes } from "@factory/schema/scopes";
import { killedTool, passphrase, tool } from "../kit/backups.js";
import { cloneOf } from "../kit/clone.js";
import { rowsIn } from "../kit/database.js";
import { contentsOf } from "../kit/database-contents.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { platformVariable } from "../kit/platform.js";
import { aReportRun } from "../kit/reports.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, type TestExecution, type TestVersion } from "../kit/templates.js";

const quiet = createLogger("test", "silent");
const formerPlatform = process.env[platformVariable];

let place: string;
let backup: string;
let dataDir: string;
let platform: PlatformProcess;
let client: ClientCredentials;
let token: string;
let version: TestVersion;
let reportRunId: string;
/** The ids that were acknowledged before the backup began. */
const acknowledged = { templates: [] as string[], executions: [] as string[] };
/** All executions that have ended, also while the backup ran. */
const ended: string[] = [];

const use = ({ publicUrl, internalUrl, dataDir: folder, pid }: PlatformProcess) => {
  process.env[platformVariable] = JSON.stringify({ publicUrl, internalUrl, dataDir: folder, pid });
};

async function register(): Promise<string> {
  const body = { name: `template-${randomUUID()}`, category: "Service" };
  const { status, body: made, text } = await request<{ templateId: string }>("POST /v1/templates", { token, body });
  if (status !== 201) throw new Error(text);
  return made.templateId;
}

async function scaffold(): Promise<string> {
  const target = { repository: `acme/r${randomUUID()}` };
  const { executionId, status } = await executed(token, version, { parameters: { Owner: "Ada" }, target });
  expect(status).toBe("Completed");
  ended.push(executionId);
  return executionId;
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "backup-"));
  backup = join(place, "backup");
  dataDir = await temporaryDataDirectory();
  platform = await startPlatformProcess(dataDir, { RATE_LIMIT_FACTOR: "1000" });
  use(platform);
  const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
  const { tenantId } = await ensureTenant(platform, admin, "kept", "Tenant to keep");
  client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: tenantScopes });
  token = await accessToken(platform, client);
  const symbols = { Owner: { type: "parameter", datatype: "string", replaces: "OWNER-PLACE" } };
  const pack = aSmallPack({ config: { symbols }, files: { "owner.txt": "OWNER-PLACE\n" } });
  version = await aTemplateVersion(token, await aTemplateSource(pack), {});
  ({ reportRunId } = await aReportRun(token));
});

afterAll(async () => {
  process.env[platformVariable] = formerPlatform;
  await platform?.stop();
  await removeData(dataDir);
  await rm(place, { recursive: true, force: true });
});

/** Registers templates and makes repositories until it is stopped. */
function traffic(): { stop(): Promise<number> } {
  let stopped = false;
  let done = 0;
  const lane = async (work: () => Promise<unknown>) => {
    while (!stopped) {
      await work();
      done += 1;
    }
  };
  const lanes = [lane(register), lane(register), lane(scaffold)];
  return {
    async stop() {
      stopped = true;
      await Promise.all(lanes);
      return done;
    },
  };
}

it("copies an installation under traffic, and the restored one signs in, reads and clones", async () => {
  for (let count = 0; count < 3; count += 1) acknowledged.templates.push(await register());
  acknowledged.executions.push(await scaffold());
  const load = traffic();
  const made = await tool("backup", [backup], { DATA_DIR: dataDir });
  expect(await load.stop()).toBeGreaterThan(3);
  expect(made).toEqual({ code: 0, output: expect.stringContaining("The backup is complete") });
  expect((await stat(backup)).mode & 0o777).toBe(0o700);
  const metrics = await (await fetch(`${platform.internalUrl}/metrics`)).text();
  const [, seconds] = /^backup_last_success_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
  expect(Math.abs(Date.now() / 1000 - Number(seconds))).toBeLessThan(600);

  const target = await temporaryDataDirectory();
  const restored = await tool("restore", [backup], { DATA_DIR: target });
  expect(restored).toEqual({ code: 0, output: expect.stringContaining("is restored") });
  const second = await startPlatformProcess(target);
  try {
    use(second);
    token = await accessToken(second, client);
    for (const templateId of acknowledged.templates)
      expect((await request(`GET /v1/templates/${templateId}`, { token })).status).toBe(200);
    expect((await request(`GET /v1/reports/runs/${reportRunId}/content`, { token })).status).toBe(200);
    const repositories: URL[] = [];
    for (const executionId of ended) {
      const path = `GET /v1/templates/${version.templateId}/executions/${executionId}`;
      const { body, status } = await request<TestExecution>(path, { token });
      if (acknowledged.executions.includes(executionId)) expect(body.status).toBe("Completed");
      if (status === 200 && body.output) repositories.push(new URL(body.output.repository));
    }
    expect(repositories.length).toBeGreaterThan(0);
    for (const { pathname } of repositories) {
      const clone = await cloneOf(`${second.publicUrl}${pathname}`, token);
      expect(await clone.read("owner.txt")).toBe("Ada\n");
      await clone.remove();
    }
    await scaffold();
    await register();
  } finally {
    use(platform);
    token = await accessToken(platform, client);
    await second.stop();
    await removeData(target);
  }
});

describe("a backup", () => {
  it("is proven without restoring it, and contains nothing that can be read without its passphrase", async () => {
    const { code, output } = await tool("backup", ["--check", backup], { DATA_DIR: "/missing" });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("The backup is sound") });
    expect(output).not.toContain(passphrase);
    const contents = await Promise.all((await readdir(backup)).map((file) => readFile(join(backup, file), "latin1")));
    const secretsKey = (await readFile(join(dataDir, "secrets.key"), "utf8")).trim();
    for (const text of ["Tenant to keep", passphrase, secretsKey, client.clientId])
      expect(contents.filter((content) => content.includes(text))).toEqual([]);
  });

  it("is not made with a key that does not open the stored secrets, and leaves no folder", async () => {
    const never = join(place, "no-backup");
    const settings = { DATA_DIR: dataDir, SECRETS_KEY: "another key of thirty-two letters" };
    expect(await tool("backup", [never], settings)).toEqual({
      code: 1,
      output: expect.stringContaining("No backup was made."),
    });
    await expect(stat(never)).rejects.toThrow("ENOENT");
  });

  // the unit tests of the backup's folder meet the other ways in which one is unusable
  it("is refused with a wrong passphrase, and when one of its files was changed", async () => {
    const target = { DATA_DIR: join(place, "never") };
    expect(await tool("backup", ["--check", backup], { ...target, BACKUP_PASSPHRASE: "another passphrase" })).toEqual({
      code: 1,
      output: expect.stringContaining("The passphrase is not that of the backup."),
    });
    const file = join(backup, "table-spine.tenants");
    const content = await readFile(file);
    const changed = Buffer.from(content);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await writeFile(file, changed);
    expect(await tool("restore", [backup], target)).toEqual({
      code: 1,
      output: expect.stringMatching(/tenants .*is damaged/),
    });
    await writeFile(file, content);
    await expect(stat(target.DATA_DIR)).rejects.toThrow("ENOENT");
  });

  it("is refused when its process died", async () => {
    const dead = join(place, "dead");
    const begun = async () => (await readdir(dead).catch(() => [])).some((file) => file.startsWith("table-"));
    while (!(await killedTool("backup", [dead], { DATA_DIR: dataDir }, begun))) await rm(dead, { recursive: true });
    expect(await tool("backup", ["--check", dead], { DATA_DIR: join(place, "never") })).toEqual({
      code: 1,
      output: expect.stringContaining("is not a complete backup: it has no manifest.json"),
    });
  });
});

/** Rows that belong to a running process or to the installation itself. */
const isLeftOut = (table: string) =>
  /^(health\.|releases\.|limits\.|bus\.turns$|installation\.(role_secrets|shared_folders)$)|\.migrations$|_jobs\.(version|bam)$/.test(
    table,
  );

describe("a stopped installation", () => {
  let exact: string;
  let server: PostgresServer;
  let databaseUrl: string;

  beforeAll(async () => {
    await platform.stop();
    exact = join(place, "exact");
    expect(await tool("backup", [exact], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    server = await startEmbeddedPostgres({ dataDir: join(place, "server"), logger: quiet });
    await rowsIn(server.url, "create database restored", []);
    databaseUrl = Object.assign(new URL(server.url), { pathname: "restored" }).href;
  });

  afterAll(async () => {
    await server?.stop();
    await removeData(join(place, "server"));
  });

  it("is restored to a server with every row of every table, also after a restore that died", async () => {
    const target = { DATA_DIR: join(place, "target"), DATABASE_URL: databaseUrl };
    const begun = async () => (await readdir(target.DATA_DIR).catch((): string[] => [])).includes("secrets.key");
    expect(await killedTool("restore", [exact], target, begun)).toBe(true);
    expect(await tool("restore", [exact], target)).toMatchObject({ code: 0 });
    expect(await readdir(target.DATA_DIR)).not.toContain("restore.unfinished");
    const source = await startEmbeddedPostgres({ dataDir, logger: quiet });
    try {
      const wanted = await contentsOf(source.url, isLeftOut);
      expect(Object.keys(wanted).length).toBeGreaterThan(300);
      expect(await contentsOf(databaseUrl, isLeftOut)).toEqual(wanted);
    } finally {
      await source.stop();
    }
    for (const file of ["secrets.key", "bootstrap.json", "tls/ca.key", "tls/ca.crt"])
      expect(await readFile(join(target.DATA_DIR, file), "utf8")).toBe(await readFile(join(dataDir, file), "utf8"));
  });

  it("is not restored over an installation", async () => {
    const elsewhere = join(place, "elsewhere");
    const overDatabase = await tool("restore", [exact], { DATA_DIR: elsewhere, DATABASE_URL: databaseUrl });
    expect(overDatabase).toEqual({ code: 1, output: expect.stringContaining("The database is not empty") });
    await rm(elsewhere, { recursive: true });
    const overFolder = await tool("restore", [exact], { DATA_DIR: dataDir });
    expect(overFolder).toEqual({ code: 1, output: expect.stringContaining("is not empty (bootstrap.json)") });
    const other = { DATA_DIR: elsewhere, SECRETS_KEY: "another key of thirty-two letters" };
    const otherKey = await tool("restore", [exact], other);
    expect(otherKey).toEqual({ code: 1, output: expect.stringContaining("SECRETS_KEY is not the key of the backup") });
    await expect(stat(elsewhere)).rejects.toThrow("ENOENT");
  });
});
