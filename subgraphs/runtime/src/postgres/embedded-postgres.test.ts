import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { access, chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { keepingLogger } from "../telemetry/logged-lines.fixture.js";
import { createLogger } from "../telemetry/logger.js";
import { DataDirectoryInUseError } from "./data-directory-lock.js";
import { DatabaseGivenUp } from "./database-patience.js";
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
  for (const giveUpAt = Date.now() + 60_000; ; await sleep(50)) {
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

/** Another platform in its own process, from these sources. */
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

test("a server that cannot come back is tried again for ever, with growing pauses, until it can", async () => {
  const lines: string[] = [];
  server = await startEmbeddedPostgres({ dataDir, logger: keepingLogger(lines), giveUpAfterMs: 100 });
  const { url } = server;
  const squatter = createServer();
  process.kill(server.pid, "SIGKILL");
  while (!squatter.listening) {
    squatter.once("error", () => undefined);
    squatter.listen(Number(new URL(url).port), "127.0.0.1");
    await Promise.race([once(squatter, "listening").catch(() => undefined), sleep(5)]);
  }
  const pauses = () => lines.flatMap((line) => (JSON.parse(line) as { pauseMs?: number }).pauseMs ?? []);
  await until(() => pauses().length >= 4);
  expect(pauses().slice(0, 4)).toEqual([100, 200, 400, 800]);
  squatter.close();
  expect(await queryUntilAnswered(url, "select count(*)::int as words from kept")).toEqual([{ words: 1 }]);
});

test("stop during a long pause is at once", async () => {
  const lines: string[] = [];
  server = await startEmbeddedPostgres({ dataDir, logger: keepingLogger(lines) });
  const { clusterDir } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"));
  await rename(join(clusterDir, "global"), join(clusterDir, "away"));
  process.kill(server.pid, "SIGKILL");
  await until(() => lines.some((line) => line.includes('"pauseMs":1600')));
  await server.stop();
  await rename(join(clusterDir, "away"), join(clusterDir, "global"));
  expect(lines.some((line) => line.includes('"pauseMs":3200'))).toBe(false);
});

describe("a program in the place of the server", () => {
  let binDir: string;

  beforeEach(async () => {
    binDir = join(await mkdtemp(join(tmpdir(), "embedded-postgres-bin-")), "bin");
    await mkdir(binDir);
    for (const folder of [join(binDir, ".."), binDir]) await chmod(folder, 0o777);
  });
  afterEach(() => rm(join(binDir, ".."), { recursive: true }));

  const install = (script: string) => writeFile(join(binDir, "postgres"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

  test("is given up at the first start when the operator says so", async () => {
    await install("echo it is broken >&2; exit 1");
    const attempt = startEmbeddedPostgres({ dataDir, logger, binDir, giveUpAfterMs: 500 });
    await expect(attempt).rejects.toThrow(DatabaseGivenUp);
    await expect(attempt).rejects.toThrow("it is broken");
    server = await startEmbeddedPostgres({ dataDir, logger });
  });

  test("is left alone while it answers that it recovers, however long", async () => {
    const { binariesDir } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8"));
    await install(`
      for setting; do case $setting in port=*) echo "\${setting#port=}" > "${binDir}/port";; esac; done
      echo $$ >> "${binDir}/pids"
      until [ -e "${binDir}/go" ]; do sleep 0.1; done
      exec "${binariesDir}/bin/postgres" "$@"`);
    const longMs = 600_000;
    const options = { dataDir, logger, binDir, giveUpAfterMs: 100, launchMs: longMs };
    const starting = startEmbeddedPostgres(options);
    const port = await until(() => readFile(join(binDir, "port"), "utf8").catch(() => ""));
    let requestCount = 0;
    const recovering = createServer((socket) => {
      socket
        .on("error", () => undefined)
        .once("data", () => {
          requestCount += 1;
          // then the real server has the time that it needs
          if (requestCount === 2) options.launchMs = longMs;
          socket.end(errorResponse("57P03", "the database system is in recovery mode"));
        });
    });
    await once(recovering.listen(Number(port), "127.0.0.1"), "listening");
    options.launchMs = 100;
    await until(() => requestCount >= 2);
    recovering.close();
    await writeFile(join(binDir, "go"), "");
    server = await starting;
    expect((await readFile(join(binDir, "pids"), "utf8")).trim()).toBe(String(server.pid));
  });
});

/** As the server sends it (PostgreSQL, "Message Formats", ErrorResponse). */
function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

async function until<T>(condition: () => T | Promise<T>): Promise<T> {
  for (const giveUpAt = Date.now() + 60_000; ; await sleep(20)) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > giveUpAt) throw new Error("Not in time");
  }
}

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
  const giveUpAt = Date.now() + 60_000;
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
    const longPath = join(parent, "x".repeat(90));
    await mkdir(longPath);
    for (const path of [parent, longPath]) await chown(path, nobody, nobody);
    const { url } = await startPlatform(longPath, { uid: nobody, gid: nobody });
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    const record = JSON.parse(await readFile(join(longPath, "postgres.json"), "utf8"));
    expect(record.clusterDir).toBe(join(longPath, "postgres", "cluster"));
    platforms[0]?.kill("SIGTERM");
    const [code] = await once(platforms[0] as ChildProcess, "exit");
    expect(code).toBe(0);
    await rm(parent, { recursive: true });
    await rm(record.socketDir, { recursive: true, force: true });
  });
});
