import type { Database } from "@factory/runtime/db/database";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Scope } from "@factory/schema/scopes";
import { platformAdmin, principal, RunningSpine } from "../testing/running-spine.js";
import { aUser } from "../testing/users.js";
import { ApprovalRequests } from "./approval-request.js";

let platform: RunningSpine;
let database: Database;
let tenantId: string;
let person: string;
let colleague: string;

beforeAll(async () => {
  platform = await RunningSpine.start();
  database = await platform.openDatabase();
  tenantId = await platform.activeTenant("acme");
  [person, colleague] = [(await aUser(platform, tenantId, [])).userId, (await aUser(platform, tenantId, [])).userId];
}, 60_000);
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const scopes: readonly Scope[] = ["client.manage", "governance.approve", "templates.publish"];

const as = (subject: string, clientId = subject.startsWith("usr_") ? "cli_studio" : subject) => ({
  ...principal(tenantId, scopes),
  subject,
  clientId,
});

/** By one of the tenant, or for it by a platform administrator. */
async function aClient(by: string, principalType = "Service", asked = as(by)): Promise<string> {
  const forTenant = asked.platformAdmin;
  const { data, errors } = await platform.ask(
    asked,
    forTenant
      ? `mutation ($input: CreateApiClientInput!) {
          made: createTenantApiClient(tenantId: "${tenantId}", input: $input) { clientId } }`
      : "mutation ($input: CreateApiClientInput!) { made: createApiClient(input: $input) { clientId } }",
    { input: { name: "test", scopes, principalType } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["made"].clientId;
}

const administrators = (subject: string) => aClient(subject, "Service", platformAdmin({ subject, clientId: subject }));

const held = (clientId: string, by: string | null) =>
  platform.admin.query("update api_clients set secret_held_by = $2 where client_id = $1", [clientId, by]);

async function decision(decider: string, subject: string, agentClientId = newId("cli")): Promise<unknown> {
  const wish = { agentClientId, agentTaskId: "task", subject, scopes: ["templates.publish"] as const };
  const cause = { trace: continueTrace(undefined), actorId: subject };
  const { approvalId } = await new ApprovalRequests(database).request(tenantWithId(tenantId), wish, cause);
  const document = `mutation { approveScopes(approvalId: "${approvalId}") { status } }`;
  const { data, refusal } = await platform.ask(as(decider), document);
  return refusal?.["code"] ?? data?.["approveScopes"].status;
}

describe("the secret of the client that decides", () => {
  it("is not the subject's, however many clients are between them", async () => {
    const first = await aClient(person);
    const second = await aClient(first);
    const third = await aClient(second);
    for (const client of [first, second, third]) {
      expect(await decision(client, person)).toBe("SELF_APPROVAL");
      expect(await decision(client, colleague)).toBe("Approved");
    }
    expect(await decision(third, first)).toBe("SELF_APPROVAL");
  });

  it("is no agent's", async () => {
    const agent = await aClient(colleague, "Agent");
    const client = await aClient(colleague);
    await held(client, agent);
    expect(await decision(client, person, agent)).toBe("SELF_APPROVAL");
    expect(await decision(client, person)).toBe("SELF_APPROVAL");
  });

  it("may go round in a ring", async () => {
    const ring = [await aClient(person), await aClient(person), await aClient(person)] as const;
    await Promise.all(ring.map((client, at) => held(client, ring[(at + 1) % 3] ?? "")));
    expect(await decision(ring[0], person)).toBe("Approved");
    expect(await decision(ring[0], ring[2])).toBe("SELF_APPROVAL");
    await held(ring[1], ring[1]);
    expect(await decision(ring[1], person)).toBe("Approved");
  });

  it("is everybody's who installed one of its keys", async () => {
    const client = await aClient(colleague);
    await held(client, `${colleague} ${person}`);
    for (const subject of [person, colleague]) expect(await decision(client, subject)).toBe("SELF_APPROVAL");
  });

  it("is nobody's where it was told before that was noted", async () => {
    const client = await aClient(person);
    await held(client, null);
    expect(await decision(client, person)).toBe("Approved");
  });
});

describe("the secret of the service that is acted for", () => {
  it("is not the approver's, nor is it known to whoever knows the approver's", async () => {
    const service = await aClient(person);
    expect(await decision(person, service)).toBe("SELF_APPROVAL");
    expect(await decision(await aClient(person), service)).toBe("SELF_APPROVAL");
    expect(await decision(colleague, service)).toBe("Approved");
    expect(await decision(await aClient(colleague), service)).toBe("Approved");
  });

  it("and the approver's may come from the same administrator of the platform", async () => {
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

test("a person decides about an agent whose secret he was told, unless it acts for him", async () => {
  const agent = await aClient(person, "Agent");
  expect(await decision(person, colleague, agent)).toBe("Approved");
  expect(await decision(person, person, agent)).toBe("SELF_APPROVAL");
});
