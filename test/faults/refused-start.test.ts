import { readdir, readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeData, startPlatformProcess, temporaryDataDirectory } from "@factory/platform/client/platform-process";
import { choosePort } from "@factory/platform/settings/free-port";
import { lockDataDirectory } from "@factory/runtime/postgres/data-directory-lock";
import type { PostgresServer } from "@factory/runtime/postgres/embedded-postgres";
import { startReadyPostgres } from "@factory/runtime/postgres/ready-postgres.fixture";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { templateDatabases } from "@factory/runtime/unit-of-work/template-databases.fixture";
import { rowsIn } from "../kit/database.js";

let server: PostgresServer;
let serverFolder: string;
/** The DATA_DIR of a platform that ran in development without SECRETS_KEY. */
let home: string;
let empty: string;
let taken: Server;
let takenPort: string;

const url = (change: Partial<URL> = {}) => Object.assign(new URL(server.url), { pathname: "factory", ...change }).href;

beforeAll(async () => {
  serverFolder = await temporaryDataDirectory();
  const content = templateDatabases();
  server = await startReadyPostgres({ dataDir: serverFolder, logger: createLogger("test", "silent"), content });
  [home, empty] = [await temporaryDataDirectory(), await temporaryDataDirectory()];
  await rowsIn(url({ pathname: "postgres" }), "create database factory", []);
  await (await startPlatformProcess(home, { DATABASE_URL: url() })).stop();
  taken = createServer();
  takenPort = String(await choosePort(0, "127.0.0.1"));
  await new Promise<void>((resolve) => taken.listen(Number(takenPort), "127.0.0.1", resolve));
});
afterAll(async () => {
  taken?.close();
  await server?.stop();
  for (const folder of [home, empty, serverFolder]) await removeData(folder);
});

/** The folder's and the database's state: a start that goes on gives each role a new salt. */
async function stateOf(dataDir: string): Promise<unknown> {
  const names = await readdir(dataDir, { recursive: true });
  const files = await Promise.all(
    names.toSorted().map(async (name) => [name, (await stat(join(dataDir, name))).mtimeMs]),
  );
  const roles = await rowsIn(url(), "select rolname, rolpassword from pg_authid order by rolname", []);
  const schemas = await rowsIn(url(), "select nspname, nspacl::text from pg_namespace order by nspname", []);
  return { files, roles, schemas };
}

async function expectRefusal(dataDir: string, variables: Record<string, string>, code: number, text: string) {
  const before = await stateOf(dataDir);
  const lines: string[] = [];
  await expect(
    startPlatformProcess(dataDir, { DATABASE_URL: url(), ...variables }, (line) => lines.push(line)),
  ).rejects.toThrow(`ended with ${code} `);
  const logged = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  expect(logged).toMatchObject([{ level: 60, msg: expect.stringContaining(text) as string }]);
  expect(logged[0]?.msg).not.toContain("\n");
  expect(await stateOf(dataDir)).toEqual(before);
}

const key = "k".repeat(32);
const thisFile = fileURLToPath(import.meta.url);

// the unit tests of the checks meet the other variants
it.each([
  ["another SECRETS_KEY", { SECRETS_KEY: key }, "SECRETS_KEY is not the key"],
  ["a FILES_DIR that is no folder", { FILES_DIR: "/dev/null/files" }, "FILES_DIR=/dev/null/files cannot be written"],
  [
    "a PERSISTED_DOCUMENTS that is no JSON",
    { PERSISTED_DOCUMENTS: thisFile },
    `PERSISTED_DOCUMENTS=${thisFile} cannot be`,
  ],
  ["a wrong NODE_ENV", { NODE_ENV: "prod" }, "NODE_ENV"],
] as const)("a start with %s ends with status 78 and one line", async (_, variables, text) => {
  await expectRefusal(empty, variables, 78, text);
});

it.each([
  ["a wrong password", { password: "wrong" }, 'refuses the login of "postgres"'],
  ["the name of no database", { pathname: "none" }, 'database "none" does not exist'],
] as const)("a start with %s in DATABASE_URL ends with status 78 and one line", async (_, change, text) => {
  await expectRefusal(empty, { DATABASE_URL: url(change) }, 78, text);
});

it("a start with SECRETS_KEY over a development folder says how to keep its keys, and starts with them", async () => {
  await expectRefusal(home, { SECRETS_KEY: key }, 78, "SECRETS_KEY is set for the first time");
  const former = (await readFile(join(home, "secrets.key"), "utf8")).trim();
  const variables = { DATABASE_URL: url(), SECRETS_KEY: key, SECRETS_KEY_PREVIOUS: former };
  expect(await (await startPlatformProcess(home, variables)).stop()).toBe(0);
});

it("a start whose port or folder is in use ends with status 75 and one line", async () => {
  for (const name of ["PORT", "GRPC_PORT"])
    await expectRefusal(home, { [name]: takenPort, SECRETS_KEY: key }, 75, `set ${name} to another port`);
  const lock = lockDataDirectory(empty);
  try {
    await rowsIn(url(), "create database unused", []);
    await expectRefusal(empty, { DATABASE_URL: url({ pathname: "unused" }) }, 75, `in use by process ${process.pid}`);
  } finally {
    lock.release();
  }
});

it("a start over a database whose roles another role has made ends with status 78 and one line", async () => {
  await rowsIn(url(), "create role other login createrole bypassrls password 'other'", []);
  await rowsIn(url(), "grant create on database factory to other", []);
  const text = 'The role "other" of DATABASE_URL lacks a right: permission denied';
  await expectRefusal(
    empty,
    { DATABASE_URL: url({ username: "other", password: "other" }), SECRETS_KEY: key },
    78,
    text,
  );
});

it("a start without a database ends with status 69 after DATABASE_GIVE_UP_SECONDS", async () => {
  const lines: string[] = [];
  const variables = { DATABASE_URL: url({ hostname: "unknown.invalid" }), DATABASE_GIVE_UP_SECONDS: "1" };
  await expect(startPlatformProcess(empty, variables, (line) => lines.push(line))).rejects.toThrow("ended with 69 ");
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages.pop()).toContain("was away for longer than DATABASE_GIVE_UP_SECONDS");
  // the first attempt may take longer than the second that the start has
  expect(["", "the platform waits, a wait of the platform ended"]).toContain(messages.join(", "));
});
