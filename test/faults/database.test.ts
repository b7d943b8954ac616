import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accessToken, type ClientCredentials, readJson } from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { freezeServer } from "@factory/runtime/postgres/frozen-server.fixture";
import pg from "pg";
import { eventually } from "../kit/eventually.js";
import { graphql, request } from "../kit/request.js";

const linesOf = (texts: readonly string[]) => texts.map((text) => JSON.parse(text) as { time: number });

describe("PostgreSQL under a running platform", () => {
  let dataDir: string;
  let platform: PlatformProcess;
  const log: string[] = [];

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir, {}, (line) => log.push(line));
  });
  afterAll(async () => {
    await platform.stop();
    await removeData(dataDir);
  });

  const postgresPid = async () =>
    (JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")) as { pid: number }).pid;

  it("is restarted when it was killed: requests get at worst 503, and every acknowledged write is kept", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const body = { name: "Kept", slug: "kept", editionCode: "Free", ownerEmail: "owner@kept.example" };
    expect((await request("POST /v1/tenants", { base, token, body })).status).toBe(201);
    for (let round = 0; round < 2; round += 1) {
      process.kill(await postgresPid(), "SIGKILL");
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => request("GET /v1/tenants?slug=kept", { base, token })),
      );
      for (const { status } of answers) expect([200, 503]).toContain(status);
      await eventually(
        "reads work again",
        async () => (await request("GET /v1/tenants?slug=kept", { base, token })).status === 200,
      );
      await eventually("it is ready again", async () => (await request("GET /readyz", { base })).status === 200);
    }
    const { body: list } = await request<{ items: { slug: string }[] }>("GET /v1/tenants?slug=kept", { base, token });
    expect(list.items.map(({ slug }) => slug)).toEqual(["kept"]);
    const another = { ...body, slug: "after" };
    expect((await request("POST /v1/tenants", { base, token, body: another })).status).toBe(201);
  });

  it("does not keep requests waiting while it is frozen, and serves again afterwards", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const read = () => request("GET /v1/tenants?limit=1", { base, token });
    const write = () => {
      const slug = `frozen-${randomUUID()}`;
      const body = { name: "Frozen", slug, editionCode: "Free", ownerEmail: "owner@frozen.example" };
      return request("POST /v1/tenants", { base, token, body });
    };
    const ask = () => graphql("{ tenants(first: 1) { items { slug } } }", { base, token });
    const thaw = freezeServer(await postgresPid());
    try {
      const waiting = await Promise.all(Array.from({ length: 30 }, (_, at) => (at % 2 ? read() : write())));
      for (const { status, headers } of waiting) {
        expect(status).toBe(503);
        expect(headers.get("retry-after")).toBe("1");
      }
      await eventually("it is not ready", async () => (await request("GET /readyz", { base })).status === 503);
      for (const { status, headers, text } of await Promise.all([read(), write(), ask()])) {
        expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
        expect(text).toContain("The database does not answer.");
      }
    } finally {
      thaw();
    }
    await eventually("it is ready again", async () => (await request("GET /readyz", { base })).status === 200);
    await eventually("writes work again", async () => (await write()).status === 201);
  });

  it("that refuses the platform's logins is an outage until it accepts them again, with one line a minute", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { host, port, user, password } = await readJson<pg.ClientConfig>(dataDir, "postgres.json");
    const admin = new pg.Client({ ...{ host, port, user, password }, database: "postgres" } as pg.ClientConfig);
    await admin.connect();
    const { rows: roles } = await admin.query<{ name: string; secret: string }>(
      `select rolname as name, rolpassword as secret from pg_authid
       where rolcanlogin and not rolsuper and rolname ~ '_(app|owner|worker)$'`,
    );
    expect(roles.length).toBeGreaterThan(5);
    const body = { name: "Refused", slug: "refused", editionCode: "Free", ownerEmail: "owner@refused.example" };
    const requests = () =>
      Promise.all([
        ...Array.from({ length: 5 }, () => request("GET /v1/tenants?limit=1", { base, token })),
        request("POST /v1/tenants", { base, token, body }),
        graphql("{ tenants(first: 1) { items { slug } } }", { base, token }),
      ]);
    const ways = [
      { refuse: (role: string) => `alter role ${role} nologin`, accept: (role: string) => `alter role ${role} login` },
      {
        refuse: (role: string) => `alter role ${role} password 'another'`,
        accept: (role: string, secret: string) => `alter role ${role} password '${secret}'`,
      },
    ];
    for (const { refuse, accept } of ways) {
      for (const { name } of roles) await admin.query(refuse(name));
      await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = any($1)", [
        roles.map(({ name }) => name),
      ]);
      await eventually("it is not ready", async () => (await request("GET /readyz", { base })).status === 503);
      for (let round = 0; round < 2; round += 1) {
        for (const { status, headers } of await requests())
          expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
      }
      for (const { name, secret } of roles) await admin.query(accept(name, secret));
      await eventually("it is ready again", async () => (await request("GET /readyz", { base })).status === 200);
      await eventually("requests are served", async () =>
        (await requests()).every(({ status }) => [200, 201, 409].includes(status)),
      );
    }
    await admin.end();
    const about = (text: string) => log.filter((line) => line.includes(text));
    const minutes = linesOf(about("the database refuses a login of the platform"));
    expect(minutes.length).toBeGreaterThan(0);
    for (const [place, { time }] of minutes.entries())
      if (place > 0) expect(time - (minutes[place - 1]?.time ?? 0)).toBeGreaterThan(59_000);
    const refusal = /password authentication failed|not permitted to log in/;
    expect(log.filter((line) => refusal.test(line))).toHaveLength(minutes.length);
  });

  it("with a full disk answers writes by 503, is not ready until it takes them again, and goes on serving reads", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { host, port, user, password } = await readJson<pg.ClientConfig>(dataDir, "postgres.json");
    const admin = new pg.Client({ ...{ host, port, user, password }, database: "postgres" } as pg.ClientConfig);
    await admin.connect();
    await admin.query(`create function disk_full() returns trigger language plpgsql
      as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    const tables = ["spine.tenants", "health.writes"];
    for (const table of tables)
      await admin.query(`create trigger full_disk before insert or update on ${table} execute function disk_full()`);
    const body = { name: "Full", slug: "full", editionCode: "Free", ownerEmail: "owner@full.example" };
    const write = () => request("POST /v1/tenants", { base, token, body });
    const refused = await write();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(refused.body).toMatchObject({
      code: "UNAVAILABLE",
      detail: "The disk of the database is full, so nothing can be written now. Try again later.",
    });
    const input = `{ name: "Full", slug: "full", editionCode: "Free", ownerEmail: "owner@full.example" }`;
    const mutation = await graphql(`mutation { registerTenant(input: ${input}) { tenantId } }`, { base, token });
    expect([mutation.status, mutation.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(mutation.body.errors?.[0]?.extensions).toMatchObject({ code: "UNAVAILABLE", retryAfterSeconds: 1 });
    await eventually("it is not ready", async () => (await request("GET /readyz", { base })).status === 503);
    expect((await request("GET /readyz", { base })).body).toMatchObject({
      checks: { database: "ok", writes: "unavailable" },
    });
    expect((await request("GET /v1/tenants?limit=1", { base, token })).status).toBe(200);
    for (const table of tables) await admin.query(`drop trigger full_disk on ${table}`);
    await admin.end();
    await eventually("it is ready again", async () => (await request("GET /readyz", { base })).status === 200);
    expect((await write()).status).toBe(201);
  });

  it("ends the platform with status 69 when it stays unavailable for DATABASE_GIVE_UP_SECONDS", async () => {
    await platform.stop();
    platform = await startPlatformProcess(dataDir, { DATABASE_GIVE_UP_SECONDS: "10", LOG_LEVEL: "silent" });
    const pid = await postgresPid();
    const thaw = freezeServer(pid);
    expect(await platform.ended).toBe(69);
    thaw();
    await eventually("its PostgreSQL has ended", () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  });
});
