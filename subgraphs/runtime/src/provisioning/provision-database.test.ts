import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import pg from "pg";
import { type DatabaseAccess, schemaConnections } from "../connections/schema-connections.js";
import { sealedInstallationSecrets } from "../resealing/installation-secrets.js";
import { Resealer } from "../resealing/resealer.js";
import { someMasterKeys } from "../sealing/master-keys.fixture.js";
import type { MasterKeys } from "../sealing/master-keys.js";
import { quiet } from "../unit-of-work/database.fixture.js";
import { aSuiteServer, type SuiteDatabase } from "../unit-of-work/suite-database.fixture.js";
import { openDatabaseAccess, provisionDatabase } from "./provision-database.js";

let server: SuiteDatabase;
const { Client } = pg;

let admin: pg.Client;

const [ofAlpha, ofBeta] = [someMasterKeys(1), someMasterKeys(2)];
const urlOf = (database: string) => Object.assign(new URL(server.url), { pathname: encodeURI(database) }).href;

async function aDatabaseCalled(name: string, template = "template1"): Promise<string> {
  await admin.query(`create database "${name.replaceAll('"', '""')}" template ${template}`);
  return urlOf(name);
}

const provision = (url: string, masterKeys: MasterKeys, rolePrefix?: string) =>
  provisionDatabase(url, subgraphNames, { masterKeys, rolePrefix });

async function as<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const urlsOf = (access: DatabaseAccess) =>
  subgraphNames.flatMap((name: SubgraphName) => {
    const { owner, app, worker } = schemaConnections(access, name);
    return [owner, app, worker];
  });

/** The roles as which somebody can log in with these URLs. */
const logins = (access: DatabaseAccess) =>
  Promise.all(
    urlsOf(access).map((url) =>
      as(url, async (client) => {
        const { rows } = await client.query("select current_user as role, current_schema() as schema");
        return `${rows[0].role} ${rows[0].schema}`;
      }),
    ),
  );

const rolesOf = (prefix: string) =>
  subgraphNames.flatMap((name) => ["owner", "app", "worker"].map((kind) => `${prefix}_${name}_${kind} ${name}`));

/** The stored passwords, and which transaction has written each role. */
const storedRoles = async (prefix: string) =>
  (
    await admin.query(
      "select rolname, rolpassword, xmin::text from pg_authid where starts_with(rolname, $1) order by 1",
      [`${prefix}_`],
    )
  ).rows as { rolname: string; rolpassword: string | null; xmin: string }[];

beforeAll(async () => {
  server = await aSuiteServer("provisioned");
  admin = new Client({ connectionString: server.url });
  await admin.connect();
});

afterAll(async () => {
  await admin?.end();
  await server?.close();
});

describe("the roles of a database", () => {
  let alpha: DatabaseAccess;
  let beta: DatabaseAccess;

  beforeAll(async () => {
    alpha = await provision(await aDatabaseCalled("alpha"), ofAlpha);
    beta = await provision(await aDatabaseCalled("beta"), ofBeta);
  });

  it("are its own, so two installations on one server log in beside each other", async () => {
    expect(await logins(alpha)).toEqual(rolesOf("alpha"));
    expect(await logins(beta)).toEqual(rolesOf("beta"));
    for (const [own, other] of [
      [alpha, beta],
      [beta, alpha],
    ] as const) {
      const { pathname } = new URL(other.url);
      const inOther = urlsOf(own).map((url) => Object.assign(new URL(url), { pathname }).href);
      for (const url of inOther)
        expect(await as(url, (client) => client.query("select from bus.messages")).catch(({ code }) => code)).toBe(
          "42501",
        );
    }
  });

  it("are written only where they differ, so a start disturbs no other process", async () => {
    const before = [await storedRoles("alpha"), await storedRoles("beta")];
    expect(before.map((roles) => roles.length)).toEqual([10, 10]);
    await Promise.all([provision(alpha.url, ofAlpha), provision(beta.url, ofBeta), provision(alpha.url, ofAlpha)]);
    expect([await storedRoles("alpha"), await storedRoles("beta")]).toEqual(before);
  });

  it("have passwords that neither the administrator's URL nor the name of a role gives away", async () => {
    const stored = [...(await storedRoles("alpha")), ...(await storedRoles("beta"))];
    for (const { rolname, rolpassword } of stored)
      expect([rolname, rolpassword ?? ""]).toEqual([
        rolname,
        rolname.endsWith("platform_worker") ? "" : expect.stringMatching(/^SCRAM-SHA-256\$4096:/),
      ]);
    const gamma = await provision(await aDatabaseCalled("gamma"), ofAlpha);
    expect(new Set([alpha, beta, gamma].map(({ roleSecret }) => roleSecret)).size).toBe(3);
  });

  it("cannot read or change the sealed secret, except for the worker that seals it again", async () => {
    const attempts = [
      "select sealed from installation.role_secrets",
      "update installation.role_secrets set sealed = sealed",
    ];
    const allowed = await Promise.all(
      urlsOf(alpha).flatMap((url) =>
        attempts.map((sql) =>
          as(url, (client) => client.query(sql)).then(
            () => `${new URL(url).username} ${sql.slice(0, 6)}`,
            () => undefined,
          ),
        ),
      ),
    );
    expect(allowed.filter((one) => one !== undefined)).toEqual([
      "alpha_spine_worker select",
      "alpha_spine_worker update",
    ]);
    for (const change of [
      "insert into installation.role_secrets values ('x', 'x')",
      "delete from installation.role_secrets",
    ]) {
      const { worker } = schemaConnections(alpha, "spine");
      expect(await as(worker, (client) => client.query(change)).catch(({ code }) => code)).toBe("42501");
    }
  });

  it("get their passwords and rights back at the next start after somebody changed them", async () => {
    const untouched = await storedRoles("beta");
    await admin.query("alter role alpha_catalog_app password 'guessed'; alter role alpha_spine_owner password null");
    await admin.query(
      "alter role alpha_spine_worker valid until '2020-01-01'; alter role alpha_catalog_worker nologin",
    );
    await admin.query("alter role alpha_spine_app bypassrls; alter role alpha_catalog_owner set search_path = public");
    await expect(logins(alpha)).rejects.toThrow();
    expect((await provision(alpha.url, ofAlpha)).roleSecret).toBe(alpha.roleSecret);
    expect(await logins(alpha)).toEqual(rolesOf("alpha"));
    const { rows } = await admin.query("select from pg_roles where rolbypassrls and rolname like 'alpha%'");
    expect(rows).toEqual([]);
    expect(await storedRoles("beta")).toEqual(untouched);
  });

  it("get them back from an administrator who cannot read stored passwords, too", async () => {
    await admin.query("create role plain login createrole password 'plain'");
    await admin.query("create database modest owner plain");
    const url = Object.assign(new URL(urlOf("modest")), { username: "plain", password: "plain" }).href;
    await provision(url, ofAlpha);
    const before = await storedRoles("modest_spine");
    await admin.query("alter role modest_catalog_app password 'guessed'");
    expect(await logins(await provision(url, ofAlpha))).toEqual(rolesOf("modest"));
    expect(await storedRoles("modest_spine")).toEqual(before);
  });

  it("stay those of the original in a copy, where the setting says so, and a copy without it changes nothing", async () => {
    const copy = await aDatabaseCalled("copy", "alpha");
    const before = await storedRoles("");
    await expect(provision(copy, ofAlpha)).rejects.toThrow(
      'The schema catalog belongs to the role "alpha_catalog_owner" and not to "copy_catalog_owner". Set DATABASE_ROLE_PREFIX to "alpha" to go on with the roles of this database.',
    );
    const copied = await provision(copy, ofAlpha, "alpha");
    expect(await storedRoles("")).toEqual(before);
    expect(await logins(copied)).toEqual(rolesOf("alpha"));
    expect(await logins(alpha)).toEqual(rolesOf("alpha"));
  });
});

describe("the name of a database", () => {
  it.each([`we"ird 'Dätabase' \\ %41 $$`, "long".repeat(15), "ü".repeat(31), "pg_like"])(
    "may be unusual: %s",
    async (name) => {
      const url = await aDatabaseCalled(name);
      const access = await provision(url, ofAlpha);
      const roles = (await logins(access)).map((login) => login.slice(0, login.lastIndexOf(" ")));
      expect(new Set(roles).size).toBe(9);
      for (const role of roles) expect(Buffer.byteLength(role)).toBeLessThanOrEqual(63);
      expect((await openDatabaseAccess(url, { masterKeys: ofAlpha })).roleSecret).toBe(access.roleSecret);
      expect((await provision(url, ofAlpha)).roleSecret).toBe(access.roleSecret);
    },
  );

  it("that is too long leaves the roles of two databases apart", async () => {
    const names = ["x".repeat(62), `${"x".repeat(61)}y`];
    const [one, other] = await Promise.all(names.map(async (name) => provision(await aDatabaseCalled(name), ofAlpha)));
    const all = [...(await logins(one as DatabaseAccess)), ...(await logins(other as DatabaseAccess))];
    expect(new Set(all).size).toBe(18);
  });
});

describe("a new SECRETS_KEY", () => {
  it("changes no password: processes with the former key go on, and the former key can go after a rewrap", async () => {
    const url = await aDatabaseCalled("renewed");
    const former = await provision(url, someMasterKeys(1));
    const before = await storedRoles("renewed");
    const both = await provision(url, someMasterKeys(2, 1));
    expect(both).toEqual(former);
    await expect(provision(url, someMasterKeys(2))).rejects.toThrow(/cannot be opened with the configured SECRETS_KEY/);
    const pool = new pg.Pool({ connectionString: schemaConnections(both, "spine").worker });
    const [table] = await new Resealer(
      { pool, schema: "spine" },
      sealedInstallationSecrets(someMasterKeys(2, 1)),
      quiet,
    ).run();
    await pool.end();
    expect(table).toMatchObject({ found: 1, renewed: 1, left: 0 });
    expect(await provision(url, someMasterKeys(2))).toEqual(former);
    expect(await storedRoles("renewed")).toEqual(before);
    expect(await logins(former)).toEqual(rolesOf("renewed"));
  });

  it("that was never the key of the database is refused before anything is written", async () => {
    const url = await aDatabaseCalled("kept");
    await provision(url, someMasterKeys(1));
    await admin.query("alter role kept_spine_app password 'changed'");
    const before = await storedRoles("kept");
    await expect(provision(url, someMasterKeys(9))).rejects.toThrow(/cannot be opened with the configured SECRETS_KEY/);
    expect(await storedRoles("kept")).toEqual(before);
  });
});

it("refuses to open a database that no platform was started over", async () => {
  const url = await aDatabaseCalled("empty");
  await expect(openDatabaseAccess(url, { masterKeys: ofAlpha })).rejects.toThrow("The database is not provisioned");
});
