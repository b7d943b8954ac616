import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { type AuthenticationLevel, authenticationLevels } from "@factory/schema/authentication-levels";
import type { Scope } from "@factory/schema/scopes";
import { aRoleOf, aUser } from "../people/users/user.fixture.js";
import { platformAdmin, principal, RunningSpine } from "../running-spine.fixture.js";
import { storedSettings, TenantSettings } from "../settings/configuration/tenant-settings.js";
import { ApprovalRequests } from "./approval-request.js";
import { setByTwo } from "./two-people.fixture.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;
let person: string;
let colleague: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("acme");
  [person, colleague] = [(await aUser(platform, tenantId, [])).userId, (await aUser(platform, tenantId, [])).userId];
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const deciding: readonly Scope[] = ["governance.approve", "templates.publish"];
const scopes: readonly Scope[] = ["client.manage", ...deciding];
const seconds = () => Math.floor(Date.now() / 1000);

/** A person has just signed in at a first-party client. */
const as = (subject: string, changes: Partial<Principal> = {}): Principal => ({
  ...principal(tenantId, scopes),
  ...(subject.startsWith("usr_")
    ? { subject, clientId: "cli_studio", principalType: "User", firstParty: true, authTime: seconds() }
    : { subject, clientId: subject }),
  ...changes,
});

/** By a principal in the tenant, or by a platform administrator for the tenant. */
async function aClient(
  by: string,
  { asked = as(by), ...input }: { asked?: Principal; principalType?: string; scopes?: readonly Scope[] } = {},
): Promise<string> {
  const forTenant = asked.platformAdmin;
  const { data, errors } = await platform.ask(
    asked,
    forTenant
      ? `mutation ($input: CreateApiClientInput!) {
          made: createTenantApiClient(tenantId: "${tenantId}", input: $input) { clientId } }`
      : "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }",
    { input: { name: "test", scopes: deciding, ...input } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["made"].clientId;
}

const administrators = (subject: string) => aClient(subject, { asked: platformAdmin({ subject, clientId: subject }) });

const setHolder = (clientId: string, by: string | null) =>
  platform.admin.query("update api_clients set secret_held_by = $2 where client_id = $1", [clientId, by]);

async function requested(subject: string, agentClientId = newId("cli")): Promise<string> {
  const requests = new ApprovalRequests(database, new TenantSettings(storedSettings(database)));
  const wish = { agentClientId, agentTaskId: "task", subject, scopes: ["templates.publish"] as const };
  const cause = { trace: continueTrace(undefined), actorId: subject };
  return (await requests.request(tenantWithId(tenantId), wish, cause)).approvalId;
}

async function decided(decider: string | Principal, approvalId: string): Promise<unknown> {
  const document = `mutation { approveScopes(approvalId: "${approvalId}") { status } }`;
  const { data, refusal } = await platform.ask(typeof decider === "string" ? as(decider) : decider, document);
  return refusal?.["code"] ?? data?.["approveScopes"].status;
}

const decision = async (decider: string | Principal, subject: string, agentClientId?: string) =>
  decided(decider, await requested(subject, agentClientId));

describe("the secret of the client that decides", () => {
  it("must not be known to the subject, through any number of clients", async () => {
    const first = await aClient(person);
    const second = await aClient(first);
    const third = await aClient(second);
    for (const client of [first, second, third]) {
      expect(await decision(client, person)).toBe("SELF_APPROVAL");
      expect(await decision(client, colleague)).toBe("Approved");
    }
    expect(await decision(third, first)).toBe("SELF_APPROVAL");
  });

  it("must not be known to an agent", async () => {
    const agent = await aClient(colleague, { principalType: "Agent" });
    const client = await aClient(colleague);
    await setHolder(client, agent);
    expect(await decision(client, person, agent)).toBe("SELF_APPROVAL");
    expect(await decision(client, person)).toBe("SELF_APPROVAL");
  });

  it("may be held in a circle of clients", async () => {
    const ring = [await aClient(person), await aClient(person), await aClient(person)] as const;
    await Promise.all(ring.map((client, at) => setHolder(client, ring[(at + 1) % 3] ?? "")));
    expect(await decision(ring[0], person)).toBe("Approved");
    expect(await decision(ring[0], ring[2])).toBe("SELF_APPROVAL");
    await setHolder(ring[1], ring[1]);
    expect(await decision(ring[1], person)).toBe("Approved");
  });

  it("is held by everyone who installed one of its keys", async () => {
    const client = await aClient(colleague);
    await setHolder(client, `${colleague} ${person}`);
    for (const subject of [person, colleague]) expect(await decision(client, subject)).toBe("SELF_APPROVAL");
  });

  it("has no holder if it was shown before holders were recorded", async () => {
    const client = await aClient(person);
    await setHolder(client, null);
    expect(await decision(client, person)).toBe("Approved");
  });
});

describe("the secret of the service for which the agent acts", () => {
  it("must not be known to the approver, or to a holder of the approver's secret", async () => {
    const service = await aClient(person);
    expect(await decision(person, service)).toBe("SELF_APPROVAL");
    expect(await decision(await aClient(person), service)).toBe("SELF_APPROVAL");
    expect(await decision(colleague, service)).toBe("Approved");
    expect(await decision(await aClient(colleague), service)).toBe("Approved");
  });

  it("and the secret of the approver may come from the same platform administrator", async () => {
    const admin = (await aUser(platform, platformTenantId, [])).userId;
    for (const from of ["cli_platform", admin]) {
      const [service, approver] = [await administrators(from), await administrators(from)];
      expect(await decision(approver, service)).toBe("Approved");
    }
    const { rows } = await platform.admin.query(
      "select count(*)::int as count from api_clients where secret_held_by = $1 and tenant_id = $2",
      [admin, decodeId("ten", tenantId)],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });
});

test("a user who knows the secret of an agent may decide, unless the agent acts for this user", async () => {
  const agent = await aClient(person, { principalType: "Agent" });
  expect(await decision(person, colleague, agent)).toBe("Approved");
  expect(await decision(person, person, agent)).toBe("SELF_APPROVAL");
});

describe("a person who decides", () => {
  const minutesAgo = (minutes: number) => seconds() - minutes * 60;

  it("must have signed in at most 15 minutes ago, also with a newer token", async () => {
    expect(await decision(as(colleague, { authTime: minutesAgo(14) }), person)).toBe("Approved");
    for (const authTime of [minutesAgo(15) - 1, 0, undefined])
      expect(await decision(as(colleague, { authTime }), person)).toBe("AUTHENTICATION_TOO_OLD");
  });

  it("cannot decide through a third-party client, also after a recent sign-in", async () => {
    for (const firstParty of [false, undefined])
      expect(await decision(as(colleague, { firstParty }), person)).toBe("FIRST_PARTY_CLIENT_REQUIRED");
  });

  describe("where the tenant asks for a level of sign-in", () => {
    const [password, second, resistant] = authenticationLevels;
    const asAt = (acr: string | undefined, changes: Partial<Principal> = {}) => as(colleague, { acr, ...changes });

    const set = (value: AuthenticationLevel | null) => setByTwo(platform, tenantId, "governance.approve.acr", value);

    afterEach(() => set(null));

    it("must have signed in at this level or a higher one", async () => {
      const decides = (acr: string | undefined) => decision(asAt(acr), person);
      await set(second);
      expect(await Promise.all([decides(undefined), decides(password), decides("urn:other")])).toEqual(
        Array.from({ length: 3 }, () => "AUTHENTICATION_TOO_WEAK"),
      );
      expect(await Promise.all([decides(second), decides(resistant)])).toEqual(["Approved", "Approved"]);
      await set(resistant);
      expect(await Promise.all([decides(second), decides(resistant)])).toEqual(["AUTHENTICATION_TOO_WEAK", "Approved"]);
      await set(null);
      expect(await decides(undefined)).toBe("Approved");
    });

    it("needs the level of the time of the request, and a later one that is higher", async () => {
      const before = [await requested(person), await requested(person)] as const;
      await set(second);
      const strict = await requested(person);
      expect(await decided(asAt(password), before[0])).toBe("AUTHENTICATION_TOO_WEAK");
      await set(null);
      expect(await decided(asAt(password), strict)).toBe("AUTHENTICATION_TOO_WEAK");
      const { data } = await platform.ask(
        principal(tenantId, ["governance.read"]),
        `{ strict: approval(approvalId: "${strict}") { requiredAcr } before: approval(approvalId: "${before[0]}") { requiredAcr } }`,
      );
      expect(data).toEqual({ strict: { requiredAcr: second }, before: { requiredAcr: null } });
      expect(await decided(asAt(second), strict)).toBe("Approved");
      expect(await decided(asAt(password), before[1])).toBe("Approved");
    });

    it("learns everything that the next sign-in has to reach from one refusal", async () => {
      await set(second);
      const facts = { acrValues: second, maxAgeSeconds: 900 };
      for (const [decider, code] of [
        [asAt(second, { authTime: minutesAgo(16) }), "AUTHENTICATION_TOO_OLD"],
        [asAt(password, { authTime: minutesAgo(16) }), "AUTHENTICATION_TOO_OLD"],
        [asAt(password), "AUTHENTICATION_TOO_WEAK"],
      ] as const) {
        const document = `mutation { rejectScopes(approvalId: "${await requested(person)}") { status } }`;
        expect((await platform.ask(decider, document)).refusal).toMatchObject({ code, status: 401, ...facts });
      }
    });
  });

  it("does not pass the right to an agent, also if the token has the claims of the sign-in", async () => {
    for (const principalType of ["Agent", "User"] as const)
      expect(await decision(as(colleague, { principalType, actors: ["cli_agent"] }), person)).toBe("SELF_APPROVAL");
  });
});

describe("the client that decides", () => {
  const role = (principalId: string, heldScopes: readonly Scope[]) =>
    aRoleOf(platform, tenantId, principalId, heldScopes);

  it("is refused if the subject may rotate its secret", async () => {
    const owner = (await aUser(platform, tenantId, scopes)).userId;
    const client = await aClient(colleague);
    expect(await decision(client, owner)).toBe("SELF_APPROVAL");
    expect(await decision(client, person)).toBe("Approved");
    const wider = await aClient(colleague, { asked: platformAdmin(), scopes: [...deciding, "user.read"] });
    expect(await decision(wider, owner)).toBe("Approved");
    await role(owner, ["user.read"]);
    expect(await decision(wider, owner)).toBe("SELF_APPROVAL");
  });

  it("is refused if the subject holds the secret of a service that may rotate it, or a holder of its own secret may rotate it", async () => {
    const client = await aClient(colleague);
    const publisher = (await aUser(platform, tenantId, [])).userId;
    expect(await decision(client, publisher)).toBe("Approved");
    const administrator = await aClient(publisher, { scopes });
    expect(await decision(client, publisher)).toBe("SELF_APPROVAL");
    expect(await decision(client, administrator)).toBe("SELF_APPROVAL");
    await platform.admin.query("update api_clients set status = 'Disabled' where client_id = $1", [administrator]);
    expect(await decision(client, publisher)).toBe("Approved");

    const manager = (await aUser(platform, tenantId, scopes)).userId;
    expect(await decision(client, await aClient(manager))).toBe("SELF_APPROVAL");
  });

  it("is refused if the agent knows the secret of a service that may rotate it", async () => {
    const agent = await aClient(colleague, { principalType: "Agent" });
    const client = await aClient(colleague);
    expect(await decision(client, person, agent)).toBe("Approved");
    await setHolder(await aClient(colleague, { scopes }), agent);
    expect(await decision(client, person, agent)).toBe("SELF_APPROVAL");
  });
});
