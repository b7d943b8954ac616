import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import pg from "pg";
import { aUser } from "../../people/users/user.fixture.js";
import { principal, RunningSpine } from "../../running-spine.fixture.js";
import { FactorChanges } from "../second-factors/kinds/factor-changes.js";
import type { FactorPerson, FactorVisit } from "../second-factors/kinds/factor-kind.js";
import { PasskeyCeremonies } from "./passkey-ceremonies.js";
import { PasskeyKind } from "./passkey-kind.js";
import { PasskeyStore } from "./passkey-store.js";
import { type CeremonyChanges, SoftwareAuthenticator } from "./software-authenticator.fixture.js";

const party = { id: "localhost", origin: "http://localhost:4000" };
const lines: string[] = [];
/** The mails that were queued: their kind and the user. */
const mails: string[][] = [];

let platform: RunningSpine;
let database: Database;
let workers: pg.Pool;
let store: PasskeyStore;
let kind: PasskeyKind;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  tenantId = await platform.activeTenant("acme");
  database = await platform.openDatabase();
  workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  store = new PasskeyStore(workers, database.reader);
  const changes = new FactorChanges(async (_, mailKind, userId) => void mails.push([mailKind, userId]));
  const ceremonies = new PasskeyCeremonies(party);
  kind = new PasskeyKind({ database, changes, store, ceremonies, logger: keepingLogger(lines) });
});

afterAll(async () => {
  await workers?.end();
  await database?.close();
  await platform?.stop();
});

async function aFactorPerson(inTenant = tenantId): Promise<FactorPerson> {
  const { userId, email } = await aUser(platform, inTenant, []);
  const cause = { trace: continueTrace(undefined), actorId: "test" };
  return { tenant: tenantWithId(inTenant), userId, email, displayName: null, clientId: "cli_test", cause };
}

/** One visit to a page: what is kept, and the options that the page shows. */
class Visit implements FactorVisit {
  #kept: string | undefined;
  async keep(value: string) {
    this.#kept = value;
  }
  async take() {
    const value = this.#kept;
    this.#kept = undefined;
    return value;
  }
}

function optionsOf({ content }: { content: { text: string } }): object {
  const [, json = ""] = /data-options="([^"]+)"/.exec(content.text) ?? [];
  return JSON.parse(json.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&"));
}

const answerOf = (credential: string, passkeyName = "") => new URLSearchParams({ credential, passkeyName });

async function added(person: FactorPerson, authenticator: SoftwareAuthenticator, name = "Laptop") {
  const visit = new Visit();
  const options = optionsOf(await kind.enrolment.begin(person, visit));
  return kind.enrolment.finish(person, visit, answerOf(authenticator.create(options), name));
}

async function proven(person: FactorPerson, authenticator: SoftwareAuthenticator, changes: CeremonyChanges = {}) {
  const visit = new Visit();
  const options = optionsOf(await kind.ask(person, visit));
  return kind.verify(person, visit, answerOf(authenticator.use(options, changes)));
}

const anAuthenticator = (counter = 0) => new SoftwareAuthenticator(party.origin, { algorithm: "EdDSA", counter });
const refusal = { field: "credential", text: expect.stringContaining("was not accepted") };

describe("adding a passkey", () => {
  it("stores it with its name, records it, and offers it at the sign-in", async () => {
    const person = await aFactorPerson();
    expect(await kind.list(person.tenant, person.userId)).toEqual([]);
    const authenticator = anAuthenticator();
    expect(await added(person, authenticator, "  Laptop ")).toEqual({ amr: ["hwk", "user"] });
    const [factor, ...others] = await kind.list(person.tenant, person.userId);
    expect(others).toEqual([]);
    expect(factor).toMatchObject({ kind: "Passkey", name: "Laptop", addedAt: expect.any(Date), lastUsedAt: null });
    const { userId } = person;
    const events = (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `users/${userId}`);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["SecondFactorAdded", { tenantId, userId, factorId: factor?.factorId, kind: "Passkey" }],
    ]);
    expect(mails).toContainEqual(["factor-added-Passkey", userId]);
    expect(optionsOf(await kind.ask(person, new Visit()))).toMatchObject({
      allowCredentials: [{ id: authenticator.id }],
    });
  });

  it("takes each challenge once, and only its own", async () => {
    const person = await aFactorPerson();
    const [visit, authenticator] = [new Visit(), anAuthenticator()];
    const options = optionsOf(await kind.enrolment.begin(person, visit));
    const answer = answerOf(authenticator.create(options));
    expect(await kind.enrolment.finish(person, new Visit(), answer)).toEqual(refusal);
    expect(await kind.enrolment.finish(person, visit, answer)).toHaveProperty("amr");
    expect(await kind.enrolment.finish(person, visit, answer)).toEqual(refusal);
  });

  it("refuses a passkey that somebody has added before", async () => {
    const [person, other] = [await aFactorPerson(), await aFactorPerson(await platform.activeTenant("globex"))];
    const authenticator = anAuthenticator();
    await added(person, authenticator);
    for (const again of [person, other])
      expect(await added(again, authenticator)).toEqual({ field: "credential", text: "This passkey was added before" });
    expect(await kind.list(other.tenant, other.userId)).toEqual([]);
  });

  it("allows ten passkeys, also when they are added at the same time", async () => {
    const person = await aFactorPerson();
    const answers = await Promise.all(Array.from({ length: 12 }, () => added(person, anAuthenticator())));
    expect(answers.filter((answer) => "amr" in answer)).toHaveLength(10);
    expect(answers.filter((answer) => "text" in answer && answer.text.includes("Remove one"))).toHaveLength(2);
    expect(await kind.list(person.tenant, person.userId)).toHaveLength(10);
  });

  it("is refused to a user who is not active any more", async () => {
    const person = await aFactorPerson();
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", person.userId),
    ]);
    expect(await added(person, anAuthenticator())).toEqual(refusal);
  });

  it.each([
    ["too long", "x".repeat(101)],
    ["not storable", "a\u0000b"],
  ])("refuses a name that is %s", async (_, name) => {
    expect(await added(await aFactorPerson(), anAuthenticator(), name)).toMatchObject({ field: "passkeyName" });
  });

  it("names a passkey whose person chose no name", async () => {
    const person = await aFactorPerson();
    await added(person, anAuthenticator(), " ");
    await added(person, new SoftwareAuthenticator(party.origin, { algorithm: "ES256", synced: true }), "");
    const names = (await kind.list(person.tenant, person.userId)).map(({ name }) => name);
    expect(names).toEqual(["This device", "Synced passkey"]);
  });
});

describe("using a passkey", () => {
  it("proves the person and stores the time", async () => {
    const [person, authenticator] = [await aFactorPerson(), anAuthenticator()];
    await added(person, authenticator);
    expect(await proven(person, authenticator)).toEqual({ amr: ["hwk", "user"] });
    const [factor] = await kind.list(person.tenant, person.userId);
    expect(factor?.lastUsedAt).toEqual(expect.any(Date));
  });

  it("refuses an answer that was used before", async () => {
    const [person, authenticator, visit] = [await aFactorPerson(), anAuthenticator(), new Visit()];
    await added(person, authenticator);
    const answer = answerOf(authenticator.use(optionsOf(await kind.ask(person, visit))));
    expect(await kind.verify(person, visit, answer)).toHaveProperty("amr");
    expect(await kind.verify(person, visit, answer)).toEqual(refusal);
  });

  it("refuses the passkey of another user", async () => {
    const [person, other, authenticator] = [await aFactorPerson(), await aFactorPerson(), anAuthenticator()];
    await added(person, authenticator);
    await added(other, anAuthenticator());
    expect(await proven(other, authenticator)).toEqual(refusal);
  });

  it.each<[string, CeremonyChanges]>([
    ["another origin", { origin: "http://localhost:5000" }],
    ["nobody present", { userPresent: false }],
  ])("is refused with %s", async (_, changes) => {
    const [person, authenticator] = [await aFactorPerson(), anAuthenticator()];
    await added(person, authenticator);
    expect(await proven(person, authenticator, changes)).toEqual(refusal);
  });

  it("refuses a signature counter that did not rise, and warns of a copied key", async () => {
    const [person, authenticator] = [await aFactorPerson(), anAuthenticator(7)];
    await added(person, authenticator);
    expect(await proven(person, authenticator, { counter: 9 })).toHaveProperty("amr");
    lines.length = 0;
    for (const counter of [9, 8, 0]) expect(await proven(person, authenticator, { counter })).toEqual(refusal);
    expect(lines.filter((line) => line.includes("the signature counter of a passkey went back"))).toHaveLength(3);
    expect(lines.join()).not.toContain(person.email);
    expect(await proven(person, authenticator, { counter: 10 })).toHaveProperty("amr");
  });

  it("accepts one of two uses with the same counter at the same time", async () => {
    const [person, authenticator] = [await aFactorPerson(), anAuthenticator(1)];
    await added(person, authenticator);
    const answers = await Promise.all([1, 2].map(() => proven(person, authenticator, { counter: 2 })));
    expect(answers.filter((answer) => "amr" in answer)).toHaveLength(1);
  });
});

describe("the passkeys of a user", () => {
  const inTransaction = <T>(person: FactorPerson, work: Parameters<typeof database.transaction<T>>[2]) =>
    database.transaction(person.tenant, person.cause, work);

  it("are renamed and removed by their user only", async () => {
    const [person, other, authenticator] = [await aFactorPerson(), await aFactorPerson(), anAuthenticator()];
    await added(person, authenticator);
    const { factorId = "" } = (await kind.list(person.tenant, person.userId))[0] ?? {};
    const rename = (userId: string, name: string) =>
      inTransaction(person, (transaction) => kind.rename(transaction, userId, { factorId, name }));
    expect(await rename(other.userId, "Mine")).toBe(false);
    expect(await rename(person.userId, "Phone")).toBe(true);
    expect((await kind.list(person.tenant, person.userId))[0]?.name).toBe("Phone");
    const remove = (userId: string, id = factorId) =>
      inTransaction(person, (transaction) => kind.remove(transaction, userId, id));
    expect(await remove(other.userId)).toBe(false);
    expect(await remove(person.userId, "fac_unknown")).toBe(false);
    expect(await remove(person.userId)).toBe(true);
    expect(await kind.list(person.tenant, person.userId)).toEqual([]);
    expect(await proven(person, authenticator)).toEqual(refusal);
  });

  it("are invisible to other tenants, and found by their credential before the tenant is known", async () => {
    const [person, authenticator] = [await aFactorPerson(), anAuthenticator()];
    await added(person, authenticator);
    const elsewhere = await platform.activeTenant("initech");
    expect(await kind.list(tenantWithId(elsewhere), person.userId)).toEqual([]);
    const statement = "select credential_id from passkeys";
    expect((await platform.asApp(elsewhere, statement)).rows).toEqual([]);
    expect((await platform.asApp(null, statement)).rows).toEqual([]);
    expect(await store.byCredential(authenticator.id)).toMatchObject({ userId: person.userId, tenant: person.tenant });
    expect(await store.byCredential("unknown")).toBeUndefined();
  });

  it("are erased together, for an administrator", async () => {
    const person = await aFactorPerson();
    for (let count = 0; count < 2; count += 1) await added(person, anAuthenticator());
    const ids = (await kind.list(person.tenant, person.userId)).map(({ factorId }) => factorId);
    const erasedIds = await inTransaction(person, (transaction) => kind.erase(transaction, person.userId));
    expect([...erasedIds].sort()).toEqual(ids);
    expect(await kind.list(person.tenant, person.userId)).toEqual([]);
  });

  it("are deleted with their user, also on a platform that offers no passkeys", async () => {
    const person = await aFactorPerson();
    await added(person, anAuthenticator());
    const admin = principal(tenantId, ["user.invite"]);
    const { errors } = await platform.ask(admin, `mutation { deleteUser(userId: "${person.userId}") { status } }`);
    expect(errors).toEqual([]);
    expect(await kind.list(person.tenant, person.userId)).toEqual([]);
  });
});
