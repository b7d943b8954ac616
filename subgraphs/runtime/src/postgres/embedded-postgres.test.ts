import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { access, chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createLogger } from "../telemetry/logger.js";
import { DataDirectoryInUseError } from "./data-directory-lock.js";
import { type PostgresServer, startEmbeddedPostgres } from "./embedded-postgres.js";
import { removeDataDirectory } from "./remove-cluster.js";

const logger = createLogger("test", "silent");
const root = process.getuid?.() === 0;
const nobody = 65_534;
let dataDir: string;
let server: PostgresServer | undefined;
let platforms: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "embedded-postgres-"));
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  for (const platform of platforms) platform.kill("SIGKILL");
  platforms = [];
});

afterAll(async () => {
  await removeDataDirectory(dataDir, logger);
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function queryUntilAnswered(url: string, sql: string): Promise<Record<string, unknown>[]> {
  for (const giveUpAt = Date.now() + 10_000; ; await sleep(50)) {
    try {
      return await query(url, sql);
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
  }
}

interface Started {
  url: string;
  postgresPid: number;
}

/** Another platform in a process of its own, from these sources. */
async function startPlatform(directory: string, account?: { uid: number; gid: number }): Promise<Started> {
  const script = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve(specifier, context, next) {
        const ours = specifier.startsWith(".") && context.parentURL?.endsWith(".ts");
        return next(ours ? specifier.replace(/\\.js$/, ".ts") : specifier, context);
      },
    });
    const { startEmbeddedPostgres } = await import(${JSON.stringify(new URL("./embedded-postgres.ts", import.meta.url).href)});
    const { createLogger } = await import(${JSON.stringify(new URL("../telemetry/logger.ts", import.meta.url).href)});
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(directory)}, logger: createLogger("child", "silent") });
    console.log(JSON.stringify({ url: server.url, postgresPid: server.pid }));
    process.on("SIGTERM", () => server.stop().then(() => process.exit(0)));
  `;
  const flags = ["--experimental-transform-types", "--no-warnings", "--input-type=module"];
  const cwd = join(import.meta.dirname, "../..");
  const platform = spawn(process.execPath, [...flags, "-e", script], {
    ...account,
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
  });
  platforms.push(platform);
  let output = "";
  let complaint = "";
  platform.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  for await (const chunk of platform.stdout) {
    output += chunk;
    if (output.includes("\n")) return JSON.parse(output) as Started;
  }
  throw new Error(complaint);
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a stopped server keeps its data, its port and its durability", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const { url, pid } = server;
  await query(url, "create table kept (word text)");
  await query(url, "insert into kept values ('Übung')");
  await server.stop();
  expect(alive(pid)).toBe(false);

  server = await startEmbeddedPostgres({ dataDir, logger });
  expect(server.url).toBe(url);
  expect(await query(url, "select lower(word) as word, current_setting('fsync') as fsync from kept")).toEqual([
    { word: "übung", fsync: "on" },
  ]);
  expect(await query(url, "show synchronous_commit")).toEqual([{ synchronous_commit: "on" }]);
  expect(await query(url, "select rolname from pg_roles where rolcanlogin")).toEqual([{ rolname: "postgres" }]);
});

test("postgres.json names the server for its owner alone", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const file = join(dataDir, "postgres.json");
  const record = JSON.parse(await readFile(file, "utf8"));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(server.url).toBe(`postgres://${record.user}:${record.password}@${record.host}:${record.port}/postgres`);
  expect(record.pid).toBe(server.pid);
  await access(join(record.binariesDir, "bin", "postgres"));
  await access(join(record.clusterDir, "PG_VERSION"));
  const socket = { host: record.socketDir, port: record.port, user: record.user, password: record.password };
  const client = new pg.Client({ ...socket, database: "postgres" });
  await client.connect();
  await client.end();
});

test("a password is needed over the socket and over TCP", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const url = new URL(server.url);
  url.password = "wrong";
  await expect(query(url.href, "select 1")).rejects.toThrow("password authentication failed");
});

test("a killed server comes back on the same port", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const { url, pid } = server;
  for (let round = 0; round < 3; round += 1) {
    process.kill(server.pid, "SIGKILL");
    expect(await queryUntilAnswered(url, "select count(*)::int as words from kept")).toEqual([{ words: 1 }]);
  }
  expect(server.pid).not.toBe(pid);
});

test("a server that cannot come back is reported once, and the directory is free afterwards", async () => {
  let exits = 0;
  server = await startEmbeddedPostgres({ dataDir, logger, onExit: () => (exits += 1), restartPatienceMs: 500 });
  const port = Number(new URL(server.url).port);
  const squatter = createServer();
  process.kill(server.pid, "SIGKILL");
  while (!squatter.listening) {
    squatter.once("error", () => undefined);
    squatter.listen(port, "127.0.0.1");
    await Promise.race([once(squatter, "listening").catch(() => undefined), sleep(5)]);
  }
  const giveUpAt = Date.now() + 5_000;
  while (exits === 0 && Date.now() < giveUpAt) await sleep(50);
  expect(exits).toBe(1);
  squatter.close();
  await server.stop();
  server = await startEmbeddedPostgres({ dataDir, logger });
});

test("stop during a restart leaves no process behind", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  process.kill(server.pid, "SIGKILL");
  await sleep(30);
  await server.stop();
  expect(server.pid === 0 || !alive(server.pid)).toBe(true);
});

test("a second start on the same directory is refused with the pid of the holder", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const refusal = await startEmbeddedPostgres({ dataDir, logger }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(DataDirectoryInUseError);
  expect(refusal).toMatchObject({ pid: process.pid });
  await expect(startPlatform(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
  expect(await query(server.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a lock file with the pid of a live stranger does not hold", async () => {
  await writeFile(join(dataDir, "lock.pid"), "1\n");
  server = await startEmbeddedPostgres({ dataDir, logger });
});

test("a killed platform leaves no server behind", async () => {
  const { postgresPid } = await startPlatform(dataDir);
  platforms[0]?.kill("SIGKILL");
  const giveUpAt = Date.now() + 5_000;
  while (alive(postgresPid) && Date.now() < giveUpAt) await sleep(20);
  expect(alive(postgresPid)).toBe(false);
});

test("a start right after a killed platform takes over and finds what was acknowledged", async () => {
  const { url, postgresPid } = await startPlatform(dataDir);
  await query(url, "insert into kept values ('last')");
  // neither its watch nor a signal reaches a stopped process
  process.kill(postgresPid, "SIGSTOP");
  platforms[0]?.kill("SIGKILL");
  await once(platforms[0] as ChildProcess, "exit");
  process.kill(postgresPid, "SIGCONT");
  server = await startEmbeddedPostgres({ dataDir, logger });
  expect(await query(server.url, "select 1 as found from kept where word = 'last'")).toEqual([{ found: 1 }]);
});

test("a pid file that names another program does not stop the start", async () => {
  server = await startEmbeddedPostgres({ dataDir, logger });
  const { clusterDir } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"));
  await server.stop();
  const stranger = spawn("sleep", ["60"], root ? { uid: nobody, gid: nobody } : {});
  platforms.push(stranger);
  await writeFile(join(clusterDir, "postmaster.pid"), `${stranger.pid}\n${clusterDir}\n1\n5432\n\n\n\nready\n`);
  server = await startEmbeddedPostgres({ dataDir, logger });
  expect(alive(stranger.pid ?? 0)).toBe(true);
});

test("a vanished cluster is an error, not an empty database", async () => {
  const { clusterDir } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"));
  await rename(clusterDir, `${clusterDir}.away`);
  await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow("is gone");
  await rename(`${clusterDir}.away`, clusterDir);
});

test("a data directory made anew begins with an empty database", async () => {
  await rm(join(dataDir, "postgres.json"));
  server = await startEmbeddedPostgres({ dataDir, logger });
  expect(await query(server.url, "select to_regclass('kept') as found")).toEqual([{ found: null }]);
});

describe("as an ordinary user", () => {
  const readable =
    root &&
    spawnSync(process.execPath, ["-e", "require('fs').accessSync(process.argv[1])", import.meta.filename], {
      uid: nobody,
      gid: nobody,
    }).status === 0;
  const name = readable ? "the cluster lies in the data directory" : "is what this run is, or may not read the sources";

  (readable ? test : test.skip)(name, async () => {
    const parent = await mkdtemp(join(tmpdir(), "embedded-postgres-user-"));
    // longer than a socket path may be
    const own = join(parent, "x".repeat(90));
    await mkdir(own);
    for (const path of [parent, own]) await chown(path, nobody, nobody);
    const { url } = await startPlatform(own, { uid: nobody, gid: nobody });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    const record = JSON.parse(await readFile(join(own, "postgres.json"), "utf8"));
    expect(record.clusterDir).toBe(join(own, "postgres", "cluster"));
    platforms[0]?.kill("SIGTERM");
    const [code] = await once(platforms[0] as ChildProcess, "exit");
    expect(code).toBe(0);
    await rm(parent, { recursive: true });
    await rm(record.socketDir, { recursive: true, force: true });
  });
});
