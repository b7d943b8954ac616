import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { bareEnvironment } from "@factory/platform/settings/environment";
import { choosePort } from "@factory/platform/settings/free-port";
import { aSuiteServer, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { suiteVariables } from "@factory/runtime/unit-of-work/suite-roles.fixture";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { aForgetfulProxy } from "../kit/forgetful-proxy.js";
import { request } from "../kit/request.js";

const program = fileURLToPath(new URL("../../gateway/platform/dist/bundle/main.js", import.meta.url));

let database: SuiteDatabase;
const folders: string[] = [];

beforeAll(async () => {
  database = await aSuiteServer("platform");
});
afterAll(async () => {
  await database?.close();
  for (const folder of folders) await removeData(folder);
});

/** A platform that does not become ready yet. */
async function aStart(databaseUrl: string) {
  const folder = await temporaryDataDirectory();
  folders.push(folder);
  const [port, internalPort] = [await choosePort(0, "127.0.0.1"), await choosePort(0, "127.0.0.1")];
  const log: string[] = [];
  const ports = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
  const files = join(folders[0] ?? folder, "files");
  const variables = { ...suiteVariables, DATABASE_URL: databaseUrl, FILES_DIR: files, ...ports };
  const started = startPlatformProcess(folder, variables, (line) => log.push(line));
  started.catch(() => undefined);
  const bases = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`];
  const waitsFor = async () => {
    const answer = await request<{ checks?: { start?: string } }>("GET /readyz", { base: bases[0] as string }).catch(
      () => undefined,
    );
    return answer?.status === 503 ? (answer.body.checks?.start ?? "") : "";
  };
  return { started, bases, log, waitsFor };
}

async function expectWaiting({ bases }: { bases: readonly string[] }): Promise<void> {
  for (const base of bases) {
    expect(await request("GET /livez", { base })).toMatchObject({ status: 200, body: { status: "alive" } });
    const refused = await request("GET /v1/tenants", { base });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.body).toMatchObject({ code: "UNAVAILABLE", instance: "/v1/tenants" });
  }
}

async function expectReady({ bases, started }: { bases: readonly string[]; started: Promise<PlatformProcess> }) {
  const platform = await started;
  for (const base of bases) expect((await request("GET /livez", { base })).status).toBe(200);
  await eventually(
    "it is ready",
    async () => (await request("GET /readyz", { base: bases[0] as string })).status === 200,
  );
  await platform.stop();
}

const messages = (log: readonly string[]) =>
  log.flatMap((line) => (line.startsWith("{") ? [(JSON.parse(line) as { msg: string }).msg] : []));

it("a start without a database says so, answers probes, and goes on when the database is there", async () => {
  const { hostname, port } = new URL(database.url);
  const away = await choosePort(0, "127.0.0.1");
  const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${away}` }).href;
  const start = await aStart(url);
  await eventually("it waits", async () => (await start.waitsFor()) === `waits for the database at 127.0.0.1:${away}`);
  await expectWaiting(start);
  const proxy = await aForgetfulProxy(hostname, Number(port), away);
  await expectReady(start);
  await proxy.close();
  expect(messages(start.log).filter((text) => text.includes("the platform"))).toEqual([
    "the platform waits",
    "a wait of the platform ended",
  ]);
});

it("a start that waits for the migration of another process says so", async () => {
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query("select pg_advisory_lock(4000002, hashtext('spine'))");
  const start = await aStart(database.url);
  await eventually("it waits", async () => (await start.waitsFor()).includes("the migration of the schema spine"));
  await expectWaiting(start);
  await other.end();
  await expectReady(start);
});

it("a start that waits ends with 0 when it is told to stop", async () => {
  const away = await choosePort(0, "127.0.0.1");
  const DATABASE_URL = Object.assign(new URL(database.url), { host: `127.0.0.1:${away}` }).href;
  const ports = { PORT: "0", INTERNAL_PORT: "0", GRPC_PORT: "0" };
  const DATA_DIR = await temporaryDataDirectory();
  folders.push(DATA_DIR);
  const child = spawn(process.execPath, [program], {
    env: { ...bareEnvironment(), ...suiteVariables, ...ports, DATABASE_URL, DATA_DIR },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) if (line.includes("the platform waits")) break;
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});
