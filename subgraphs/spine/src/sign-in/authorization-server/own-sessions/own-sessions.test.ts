import { createHash, randomBytes } from "node:crypto";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { decodeJwt } from "jose";
import { aUser, type TestUser } from "../../../people/users/user.fixture.js";
import {
  type Answer,
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  testSettings,
  until,
} from "../../../running-spine.fixture.js";
import { TestBrowser } from "../sign-in/browser.fixture.js";

let platform: RunningSpine;
let base: string;
let tenantId: string;
let client: { clientId: string; clientSecret: string };

const callback = "https://app.example/callback";
const verifier = randomBytes(32).toString("base64url");
const userAgent = "Session/1.0 <script>";

beforeAll(async () => {
  platform = await RunningSpine.start({ rateLimitFactor: 4 });
  base = await platform.listen();
  tenantId = await platform.activeTenant("acme");
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    {
      tenantId,
      input: {
        ...{ name: "Studio", scopes: ["templates.read"], firstParty: true, redirectUris: [callback] },
        grantTypes: ["authorization_code", "refresh_token", "password"],
      },
    },
  );
  client = data?.["createTenantApiClient"];
});

afterAll(() => platform?.stop());

const aPerson = () => aUser(platform, tenantId, ["templates.read"]);

async function token(form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: client.clientId, client_secret: client.clientSecret, ...form });
  const response = await fetch(`${base}/connect/token`, { method: "POST", body });
  return { status: response.status, body: (await response.json()) as Record<string, Json> };
}

/** Signs in with a browser at an application. */
async function signedIn({ email: username, password }: TestUser) {
  const browser = new TestBrowser(base, { "user-agent": userAgent });
  const parameters = {
    ...{ client_id: client.clientId, response_type: "code", redirect_uri: callback, code_challenge_method: "S256" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  };
  const form = await browser.open(`/connect/authorize?${new URLSearchParams(parameters).toString()}`);
  const { url } = await browser.submit(form, { username, password, action: "sign-in" });
  const code = new URL(url).searchParams.get("code") ?? "";
  const { body } = await token({
    ...{ grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier },
  });
  return { browser, access: body["access_token"] as string, refresh: body["refresh_token"] as string };
}

/** As the person to whom this token belongs. */
function asked(access: string, document: string, variables: Record<string, unknown> = {}): Promise<Answer> {
  const { sub = "", grantId } = decodeJwt<{ grantId: string }>(access);
  const person = { subject: sub, principalType: "User", firstParty: true, grantId, clientId: client.clientId } as const;
  return platform.ask({ ...principal(tenantId, []), ...person }, document, variables);
}

const sessionsOf = async (access: string): Promise<Json[]> =>
  (
    await asked(
      access,
      "{ ownSessions { items { sessionId kind clientName userAgent address startedAt lastSeenAt isCurrent } } }",
    )
  ).data?.["ownSessions"].items;

const end = (access: string, sessionId: string) =>
  asked(access, "mutation ($id: ID!) { endOwnSession(sessionId: $id) { count } }", { id: sessionId });

const refreshes = async (refresh: string) =>
  (await token({ grant_type: "refresh_token", refresh_token: refresh })).status === 200;

/** Whether a platform verifier still accepts the token. */
async function isAccepted(access: string): Promise<boolean> {
  const { issuer } = testSettings;
  const keys = () => platform.spine.authorizationServer.jwks();
  const tokenVerifier = new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true });
  await platform.watchFromElsewhere((revocation) => tokenVerifier.apply(revocation));
  return tokenVerifier.verify(access).then(
    () => true,
    () => false,
  );
}

describe("the sessions of a person", () => {
  it("are the browsers and the applications, with device, address and times", async () => {
    const person = await aPerson();
    const { access, browser } = await signedIn(person);
    await token({ grant_type: "password", username: person.email, password: person.password });
    const sessions = await sessionsOf(access);
    const times = { startedAt: expect.stringMatching(/Z$/), lastSeenAt: expect.stringMatching(/Z$/) };
    const place = { address: "127.0.0.1", ...times, sessionId: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const application = { ...place, kind: "Application", clientName: "Studio" };
    expect(sessions).toHaveLength(3);
    expect(sessions).toEqual(
      expect.arrayContaining([
        { ...place, kind: "Browser", clientName: null, userAgent, isCurrent: true },
        { ...application, userAgent, isCurrent: true },
        { ...application, userAgent: "node", isCurrent: false },
      ]),
    );
    const page = await browser.open("/connect/security");
    expect(page.text).toContain("Session/1.0 &lt;script&gt;");
    expect(page.text).toContain("(this browser)");
  });

  it("are those from the second of a new password, too, and none from before", async () => {
    const person = await aPerson();
    await signedIn(person);
    const values = [decodeId("usr", person.userId)];
    await platform.admin.query("update users set sign_in_version = sign_in_version + 1 where user_id = $1", values);
    const { access } = await signedIn(person);
    const kinds = (await sessionsOf(access)).map(({ kind, isCurrent }) => `${kind} ${isCurrent}`);
    expect(kinds.toSorted()).toEqual(["Application true", "Browser true"]);
  });

  it("end one by one: with a browser its applications, and their tokens are refused", async () => {
    const person = await aPerson();
    const [ownDevice, lostDevice] = [await signedIn(person), await signedIn(person)];
    const [browser] = (await sessionsOf(ownDevice.access)).filter(
      ({ kind, isCurrent }) => kind === "Browser" && !isCurrent,
    );
    expect((await end(ownDevice.access, browser.sessionId)).errors).toEqual([]);
    expect(await refreshes(lostDevice.refresh)).toBe(false);
    expect(await isAccepted(lostDevice.access)).toBe(false);
    expect((await lostDevice.browser.open("/connect/security")).text).toContain("<h1>Sign in</h1>");
    expect(await isAccepted(ownDevice.access)).toBe(true);
    expect(await refreshes(ownDevice.refresh)).toBe(true);
    for (const unknown of [browser.sessionId, "", "x".repeat(64)])
      expect((await end(ownDevice.access, unknown)).refusal).toMatchObject({ code: "NOT_FOUND" });
    const kinds = (await platform.eventsOf(tenantId))
      .filter(({ type, subject }) => type === "SessionEnded" && subject === `users/${person.userId}`)
      .map(({ data }) => String((data as Json).kind));
    expect(kinds.toSorted()).toEqual(["Application", "Browser"]);
  });

  it("stay ended when a request that was under way stores the session again", async () => {
    const person = await aPerson();
    const [ownDevice, lostDevice] = [await signedIn(person), await signedIn(person)];
    const { rows } = await platform.admin.query(
      "select row_to_json(s) as session from oidc_artifacts s where kind = 'Session' and account_id = $1",
      [person.userId],
    );
    await asked(ownDevice.access, "mutation { endOtherOwnSessions { count } }");
    for (const { session } of rows)
      await platform.admin.query(
        `insert into oidc_artifacts select * from json_populate_record(null::oidc_artifacts, $1)
         on conflict (kind, id_digest) do nothing`,
        [session],
      );
    expect((await lostDevice.browser.open("/connect/security")).text).toContain("<h1>Sign in</h1>");
    expect((await ownDevice.browser.open("/connect/security")).text).toContain("<h1>Your security</h1>");
    expect((await sessionsOf(ownDevice.access)).filter(({ kind }) => kind === "Browser")).toHaveLength(1);
  });

  it("cannot be ended or seen by another person", async () => {
    const [ownDevice, other] = [await signedIn(await aPerson()), await signedIn(await aPerson())];
    for (const { sessionId } of await sessionsOf(ownDevice.access))
      expect((await end(other.access, sessionId)).refusal).toMatchObject({ code: "NOT_FOUND" });
    expect(await refreshes(ownDevice.refresh)).toBe(true);
    expect((await sessionsOf(ownDevice.access)).map(({ sessionId }) => sessionId)).not.toEqual(
      expect.arrayContaining((await sessionsOf(other.access)).map(({ sessionId }) => sessionId)),
    );
  });

  it("end all but the current one, by the API and on the page", async () => {
    const person = await aPerson();
    const visits = [await signedIn(person), await signedIn(person), await signedIn(person)];
    const [ownDevice] = visits;
    const { data } = await asked(ownDevice?.access ?? "", "mutation { endOtherOwnSessions { count } }");
    expect(data).toEqual({ endOtherOwnSessions: { count: 4 } });
    expect(await Promise.all(visits.map(({ refresh }) => refreshes(refresh)))).toEqual([true, false, false]);
    const page = (await ownDevice?.browser.open("/connect/security")) ?? { text: "" };
    expect(page.text).toContain("<h1>Your security</h1>");
    const late = await signedIn(person);
    const again = await late.browser.open("/connect/security");
    expect((await late.browser.submit(again, { action: "end-other-sessions" })).text).toContain(
      "All other sessions have ended.",
    );
    expect((await ownDevice?.browser.open("/connect/security"))?.text).toContain("<h1>Sign in</h1>");
  });

  it("are not for third parties, services and agents", async () => {
    const { subject } = { subject: (await aPerson()).userId };
    const callers = [
      { principalType: "User", subject },
      { principalType: "User", subject, firstParty: true, actors: ["cli_agent"] },
      { principalType: "Service", firstParty: true },
    ] as const;
    for (const caller of callers) {
      const { refusal } = await platform.ask(
        { ...principal(tenantId, []), ...caller },
        "{ ownSessions { items { sessionId } } }",
      );
      expect(refusal).toMatchObject({ code: "FIRST_PARTY_CLIENT_REQUIRED" });
    }
  });

  it("leave nothing behind when the user is deleted", async () => {
    const person = await aPerson();
    await signedIn(person);
    const admin = principal(tenantId, ["user.invite", "templates.read"]);
    const { errors } = await platform.ask(admin, `mutation { deleteUser(userId: "${person.userId}") { status } }`);
    expect(errors).toEqual([]);
    await until(async () => {
      const { rows } = await platform.admin.query("select from oidc_artifacts where account_id = $1", [person.userId]);
      return rows.length === 0;
    });
  });
});
