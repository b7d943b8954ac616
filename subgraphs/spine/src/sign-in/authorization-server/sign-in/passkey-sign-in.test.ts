import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { decodeJwt } from "jose";
import pg from "pg";
import { aUser, type TestUser } from "../../../people/users/user.fixture.js";
import { platformAdmin, RunningSpine, testSettings, until } from "../../../running-spine.fixture.js";
import { startSpine } from "../../../subgraph.js";
import { PasskeyCeremonies } from "../../passkeys/passkey-ceremonies.js";
import { PasskeyKind } from "../../passkeys/passkey-kind.js";
import { PasskeyStore } from "../../passkeys/passkey-store.js";
import { type CeremonyChanges, SoftwareAuthenticator } from "../../passkeys/software-authenticator.fixture.js";
import { FactorChanges } from "../../second-factors/kinds/factor-changes.js";

const issuer = "http://localhost:4000";
const redirectUri = "https://app.example/callback";
// RFC 7636 appendix B
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

let platform: RunningSpine;
let base: string;
let database: Database;
let workers: pg.Pool;
let kind: PasskeyKind;
let tenantId: string;
let clientId: string;

beforeAll(async () => {
  platform = await RunningSpine.start({ issuer, rateLimitFactor: 3 });
  base = await platform.listen();
  database = await platform.openDatabase();
  workers = new pg.Pool({ connectionString: platform.connections.worker, max: 2 });
  const store = new PasskeyStore(workers, database.reader);
  const ceremonies = new PasskeyCeremonies({ id: "localhost", origin: issuer });
  const changes = new FactorChanges(async () => undefined);
  kind = new PasskeyKind({ database, changes, store, ceremonies, logger: createLogger("test", "silent") });
  tenantId = await platform.activeTenant("acme");
  clientId = await aClient(tenantId);
});

afterAll(async () => {
  await workers?.end();
  await database?.close();
  await platform?.stop();
});

async function aClient(ofTenant: string): Promise<string> {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
    {
      tenantId: ofTenant,
      input: {
        name: "App",
        scopes: ["templates.read"],
        grantTypes: ["authorization_code"],
        redirectUris: [redirectUri],
        public: true,
        firstParty: true,
      },
    },
  );
  return data?.["createTenantApiClient"].clientId;
}

interface Owner extends TestUser {
  readonly authenticator: SoftwareAuthenticator;
}

/** A user with a passkey. */
async function anOwner(inTenant = tenantId, settings = { algorithm: "ES256" as const, counter: 1 }): Promise<Owner> {
  const user = await aUser(platform, inTenant, ["templates.read"]);
  const authenticator = new SoftwareAuthenticator(issuer, settings);
  const cause = { trace: continueTrace(undefined), actorId: user.userId };
  const person = { ...user, tenant: tenantWithId(inTenant), displayName: null, clientId: "cli_test", cause };
  let keptValue: string | undefined;
  const visit = { keep: async (value: string) => void (keptValue = value), take: async () => keptValue };
  const { content } = await kind.enrolment.begin(person, visit);
  const form = new URLSearchParams({ credential: authenticator.create(optionsOf(content.text)) });
  expect(await kind.enrolment.finish(person, visit, form)).toHaveProperty("amr");
  return { ...user, authenticator };
}

const withoutEntities = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const optionsOf = (page: string) =>
  JSON.parse(withoutEntities(/data-options="([^"]+)"/.exec(page)?.[1] ?? "null")) as object;

/** One sign-in in its own browser. */
class SignIn {
  #cookie = "";
  address = "";
  page = "";

  static async begin(client = clientId, from = base, more: Record<string, string> = {}): Promise<SignIn> {
    const signIn = new SignIn();
    const parameters = { response_type: "code", redirect_uri: redirectUri, scope: "openid templates.read" };
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const query = new URLSearchParams({ client_id: client, ...parameters, ...pkce, ...more });
    const start = await fetch(`${from}/connect/authorize?${query.toString()}`, { redirect: "manual" });
    const cookies = start.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
    signIn.#cookie = cookies.join("; ");
    signIn.address = `${from}${new URL(start.headers.get("location") ?? "").pathname}`;
    await signIn.open();
    return signIn;
  }

  async open(): Promise<string> {
    this.page = await (await fetch(this.address, { headers: { cookie: this.#cookie } })).text();
    return this.page;
  }

  async post(fields: Record<string, string>): Promise<Response> {
    const [, formToken = ""] = /name="formToken" value="([\w-]+)"/.exec(this.page) ?? [];
    const body = new URLSearchParams({ formToken, ...fields });
    return fetch(this.address, { method: "POST", redirect: "manual", headers: { cookie: this.#cookie }, body });
  }

  /** Uses a passkey without a name or a password. */
  identify(authenticator: SoftwareAuthenticator, changes: CeremonyChanges = {}): Promise<Response> {
    const credential = authenticator.use(optionsOf(this.page), changes);
    return this.post({ factor: "Passkey", action: "continue", credential });
  }

  /** The claims in the tokens that the application gets. */
  async claims(answer: Response): Promise<Record<"id" | "access", Record<string, unknown>>> {
    const resumption = await fetch(`${base}${new URL(answer.headers.get("location") ?? "").pathname}`, {
      redirect: "manual",
      headers: { cookie: this.#cookie },
    });
    const code = new URL(resumption.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    const body = new URLSearchParams({ ...form, client_id: clientId });
    const tokens = (await (await fetch(`${base}/connect/token`, { method: "POST", body })).json()) as Record<
      string,
      string
    >;
    return { id: decodeJwt(tokens["id_token"] ?? ""), access: decodeJwt(tokens["access_token"] ?? "") };
  }
}

const phishingResistant = "urn:factory:acr:phishing-resistant";

describe("a sign-in with a passkey alone", () => {
  it("asks for no name, and tells the application how the person has signed in", async () => {
    const { userId, authenticator } = await anOwner();
    const signIn = await SignIn.begin();
    expect(optionsOf(signIn.page)).toMatchObject({ rpId: "localhost", userVerification: "required" });
    expect(optionsOf(signIn.page)).not.toHaveProperty("allowCredentials", expect.anything());
    const answer = await signIn.identify(authenticator);
    expect(answer.status).toBe(303);
    const { id, access } = await signIn.claims(answer);
    expect(id).toMatchObject({ sub: userId, amr: ["hwk", "user", "mfa"], acr: phishingResistant });
    expect(access).toMatchObject({ sub: userId, amr: ["hwk", "user", "mfa"], acr: phishingResistant });
  });

  it("gives the same answer to every passkey that is not accepted", async () => {
    const [owner, disabledOwner] = [await anOwner(), await anOwner()];
    const stranger = await anOwner(await platform.activeTenant("globex"));
    await platform.admin.query("update users set status = 'Disabled' where user_id = $1", [
      decodeId("usr", disabledOwner.userId),
    ]);
    const attempts: [SoftwareAuthenticator, CeremonyChanges?][] = [
      [new SoftwareAuthenticator(issuer)],
      [disabledOwner.authenticator],
      [stranger.authenticator],
      [owner.authenticator, { userVerified: false }],
      [owner.authenticator, { origin: "http://localhost:5000" }],
      [owner.authenticator, { challenge: "b3RoZXI" }],
      [owner.authenticator, { userHandle: null }],
      [owner.authenticator, { counter: 1 }],
    ];
    const answers = new Set<string>();
    for (const [authenticator, changes] of attempts) {
      const answer = await (await SignIn.begin()).identify(authenticator, changes);
      const text = (await answer.text()).replaceAll(/value="[^"]*"|data-options="[^"]*"/g, "");
      answers.add(`${answer.status} ${text}`);
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^400 .*The passkey was not accepted/s);
  });

  it("accepts each answer once, and shows a new challenge after it", async () => {
    const { authenticator } = await anOwner();
    const signIn = await SignIn.begin();
    const credential = authenticator.use(optionsOf(signIn.page));
    const fields = { factor: "Passkey", action: "continue", credential };
    const both = await Promise.all([signIn.post(fields), signIn.post(fields)]);
    expect(both.map(({ status }) => status).sort((first, other) => first - other)).toEqual([303, 400]);
    const refusal = both.find(({ status }) => status === 400);
    expect(optionsOf((await refusal?.text()) ?? "")).not.toEqual(optionsOf(signIn.page));
  });

  it("is recorded as a failure in the log of the tenant of the client", async () => {
    const before = (await platform.eventsOf(tenantId)).length;
    await (await SignIn.begin()).identify(new SoftwareAuthenticator(issuer));
    const typesSince = async () => (await platform.eventsOf(tenantId)).slice(before).map(({ type }) => type);
    await until(async () => (await typesSince()).includes("LoginFailed"));
  });
});

describe("a passkey after the password", () => {
  const passwordOf = ({ email, password }: TestUser) => ({ username: email, password, action: "sign-in" });

  it("is asked for, and names the passkeys of the person only then", async () => {
    const owner = await anOwner();
    const signIn = await SignIn.begin();
    expect(signIn.page).not.toContain(owner.authenticator.id);
    expect((await signIn.post(passwordOf(owner))).status).toBe(303);
    expect(optionsOf(await signIn.open())).toMatchObject({ allowCredentials: [{ id: owner.authenticator.id }] });
    const credential = owner.authenticator.use(optionsOf(signIn.page), { userVerified: false });
    const answer = await signIn.post({ factor: "Passkey", action: "continue", credential });
    expect(answer.status).toBe(303);
    const { access } = await signIn.claims(answer);
    expect(access).toMatchObject({ amr: ["pwd", "hwk", "user", "mfa"], acr: phishingResistant });
  });

  it("may not be the passkey of somebody else", async () => {
    const [owner, other] = [await anOwner(), await anOwner()];
    const signIn = await SignIn.begin();
    await signIn.post(passwordOf(owner));
    const credential = other.authenticator.use(optionsOf(await signIn.open()));
    expect((await signIn.post({ factor: "Passkey", action: "continue", credential })).status).toBe(400);
  });
});

describe("a person whose codes are locked", () => {
  it("still opens the account with a passkey, alone and after the password, and the lock stays", async () => {
    const owner = await anOwner();
    const lock = [decodeId("ten", tenantId), decodeId("usr", owner.userId)];
    await platform.admin.query(
      "insert into factor_locks (tenant_id, user_id, failures, locked_at) values ($1, $2, 20, now())",
      lock,
    );
    const alone = await SignIn.begin();
    expect((await alone.claims(await alone.identify(owner.authenticator))).access).toMatchObject({
      acr: phishingResistant,
    });
    const signIn = await SignIn.begin();
    await signIn.post({ username: owner.email, password: owner.password, action: "sign-in" });
    const credential = owner.authenticator.use(optionsOf(await signIn.open()));
    const answer = await signIn.post({ factor: "Passkey", action: "continue", credential });
    expect((await signIn.claims(answer)).access).toMatchObject({ amr: ["pwd", "hwk", "user", "mfa"] });
    const { rows } = await platform.admin.query("select failures, locked_at from factor_locks where user_id = $1", [
      lock[1],
    ]);
    expect(rows).toEqual([{ failures: 20, locked_at: expect.any(Date) }]);
  });

  it("gets no lock from answers of a passkey that are not accepted", async () => {
    const owner = await anOwner();
    const signIn = await SignIn.begin();
    await signIn.post({ username: owner.email, password: owner.password, action: "sign-in" });
    await signIn.open();
    expect((await signIn.post({ factor: "Passkey", action: "continue", credential: "{}" })).status).toBe(400);
    const { rows } = await platform.admin.query("select from factor_locks where user_id = $1", [
      decodeId("usr", owner.userId),
    ]);
    expect(rows).toEqual([]);
  });
});

describe("a passkey that is added at the sign-in", () => {
  it("is a second factor, and not yet the proof of a passkey", async () => {
    const person = await aUser(platform, tenantId, ["templates.read"]);
    const signIn = await SignIn.begin(clientId, base, { acr_values: phishingResistant });
    await signIn.post({ username: person.email, password: person.password, action: "sign-in" });
    const authenticator = new SoftwareAuthenticator(issuer);
    const credential = authenticator.create(optionsOf(await signIn.open()));
    const codes = await signIn.post({ factor: "Passkey", action: "continue", credential });
    expect(await codes.text()).toContain("Save your recovery codes");
    const { access } = await signIn.claims(await signIn.post({ action: "continue" }));
    expect(access).toMatchObject({ acr: "urn:factory:acr:second-factor", amr: ["pwd", "user", "mfa"] });
    const again = await SignIn.begin();
    expect((await again.claims(await again.identify(authenticator))).access).toMatchObject({ acr: phishingResistant });
  });
});

describe("the pages", () => {
  it("run the script of the platform, and no other", async () => {
    const signIn = await SignIn.begin();
    const { headers } = await fetch(`${base}/connect/authorize`);
    expect(headers.get("content-security-policy")).not.toContain("script-src");
    const [, source = ""] = /<script src="([^"]+)" defer><\/script>/.exec(signIn.page) ?? [];
    expect(signIn.page.match(/<script/g)).toHaveLength(1);
    const script = await fetch(`${base}${source}`);
    expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(script.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("offer no passkeys on an IP address", async () => {
    const owner = await anOwner();
    const spine = await startSpine(platform.host, { ...testSettings, issuer: "http://127.0.0.1:4000" });
    const front = createServer((request, response) => spine.authorizationServer.handle(request, response));
    front.listen(0, "127.0.0.1");
    await once(front, "listening");
    try {
      const address = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
      const signIn = await SignIn.begin(clientId, address);
      expect(signIn.page).not.toMatch(/passkey|<script/i);
      expect((await fetch(`${address}/connect/passkey.js`)).status).toBe(404);
      const answer = await signIn.post({ username: owner.email, password: owner.password, action: "sign-in" });
      expect(new URL(answer.headers.get("location") ?? "").pathname).toMatch(/^\/connect\/authorize\//);
    } finally {
      front.close();
      await spine.close();
    }
  });
});

describe("failed sign-ins with passkeys", () => {
  it("make their address wait, also with a correct passkey", async () => {
    const { authenticator } = await anOwner();
    const signIn = await SignIn.begin();
    let answer = await signIn.post({ factor: "Passkey", credential: "{}" });
    // this platform's limit is 30, and the tests above have used a part
    for (let attemptsLeft = 30; answer.status === 400 && attemptsLeft > 0; attemptsLeft -= 1)
      answer = await signIn.post({ factor: "Passkey", credential: "{}" });
    expect([answer.status, Number(answer.headers.get("retry-after")) > 800]).toEqual([429, true]);
    expect(await answer.text()).toContain("Too many attempts. Try again in 15 minutes.");
    expect((await (await SignIn.begin()).identify(authenticator)).status).toBe(429);
  });
});
