import { aSuiteDatabase, type SuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import pg from "pg";
import { platformEnvironment } from "../settings/environment.js";
import { connectionRoom, encoding, rights } from "./database-facts.js";
import type { DatabaseCheck } from "./start-check.js";

const environment = platformEnvironment({});
const weakRole = `weak_${process.pid}`;
const asciiDatabase = `ascii_${process.pid}`;

describe("a database", () => {
  let database: SuiteDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await aSuiteDatabase("spine");
    admin = await connected({});
    await admin.query(`create role ${weakRole} login password 'weak'`);
    await admin.query(
      `create database ${asciiDatabase} encoding 'SQL_ASCII' template template0 locale_provider libc locale 'C'`,
    );
  });
  afterAll(async () => {
    await admin.query(`drop database ${asciiDatabase}`);
    await admin.query(`drop role ${weakRole}`);
    await admin.end();
    await database.close();
  });

  async function connected(change: Partial<URL>): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: Object.assign(new URL(database.url), change).href });
    await client.connect();
    return client;
  }

  async function problem(check: DatabaseCheck, change: Partial<URL>): Promise<string | undefined> {
    const client = await connected(change);
    try {
      return await check(environment, client);
    } finally {
      await client.end();
    }
  }

  it("is taken when it fits", async () => {
    for (const check of [encoding, rights, connectionRoom]) expect(await check(environment, admin)).toBeUndefined();
  });

  it("with another encoding than UTF-8 is refused", async () => {
    expect(await problem(encoding, { pathname: asciiDatabase })).toContain(
      `The database "${asciiDatabase}" has the encoding SQL_ASCII`,
    );
  });

  it("is refused for a role that may not make roles or schemas", async () => {
    const weak = { username: weakRole, password: "weak" };
    expect(await problem(rights, weak)).toContain(`alter role "${weakRole}" createrole`);
    await admin.query(`alter role ${weakRole} createrole`);
    expect(await problem(rights, weak)).toMatch(new RegExp(`grant create on database "\\w+" to "${weakRole}"`));
  });

  it("with too few connections for one process is refused", async () => {
    const withReserved = (reserved: number) => ({ query: async () => ({ rows: [{ limit: 200, reserved }] }) });
    const room = (reserved: number) => connectionRoom(environment, withReserved(reserved) as never);
    expect(await room(140)).toBeUndefined();
    expect(await room(141)).toContain("takes 59 connections of applications (max_connections 200)");
  });
});
