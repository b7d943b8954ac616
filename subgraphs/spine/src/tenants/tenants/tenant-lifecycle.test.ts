import type { Revocation } from "@factory/runtime/auth/revocations";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Answer, platformAdmin, principal, RunningSpine, until } from "../../running-spine.fixture.js";

let platform: RunningSpine;
const revocations: Revocation[] = [];

beforeAll(async () => {
  platform = await RunningSpine.start();
  await platform.spine.watchRevocations((revocation) => revocations.push(revocation));
});
afterAll(() => platform?.stop());

type Move = "suspendTenant" | "resumeTenant" | "archiveTenant";

const move = (name: Move, tenantId: string, input: object | null = null, as = platformAdmin()): Promise<Answer> =>
  platform.ask(
    as,
    `mutation ($tenantId: ID!, $input: TenantMoveInput) { ${name}(tenantId: $tenantId, input: $input) { tenantId status } }`,
    { tenantId, input },
  );

describe("a tenant that is Active", () => {
  let tenantId: string;
  beforeAll(async () => {
    tenantId = await platform.activeTenant("mover");
  });

  it("is suspended, resumed and archived, each once and with an event", async () => {
    const moves = ["suspendTenant", "resumeTenant", "suspendTenant", "archiveTenant"] as const;
    const answers: Answer[] = [];
    for (const name of moves) answers.push(await move(name, tenantId, { reason: `for ${name}` }));
    expect(answers.map(({ data }) => Object.values(data ?? {})[0])).toEqual(
      ["Suspended", "Active", "Suspended", "Archived"].map((status) => ({ tenantId, status })),
    );
    const events = (await platform.eventsOf(tenantId)).slice(-4);
    expect(events.map(({ type, subject, data }) => [type, subject, data["status"], data["reason"]])).toEqual([
      ["TenantSuspended", `tenants/${tenantId}`, "Suspended", "for suspendTenant"],
      ["TenantResumed", `tenants/${tenantId}`, "Active", "for resumeTenant"],
      ["TenantSuspended", `tenants/${tenantId}`, "Suspended", "for suspendTenant"],
      ["TenantArchived", `tenants/${tenantId}`, "Archived", "for archiveTenant"],
    ]);
  });

  it("has a higher version after each change", async () => {
    const changing = await platform.activeTenant("changing");
    const version = async () => {
      const text = "select version, changed_at > created_at as later from tenants where tenant_id = $1";
      return (await platform.admin.query(text, [decodeId("ten", changing)])).rows[0];
    };
    const provisionedVersion = await version();
    await move("suspendTenant", changing);
    await move("suspendTenant", changing);
    // created, provisioning started, provisioned; the second suspension is refused
    expect([provisionedVersion, await version()]).toEqual([
      { version: "3", later: true },
      { version: "4", later: true },
    ]);
  });

  it("informs verifiers of each change in order", async () => {
    const ownRevocations = () => revocations.filter(({ subject }) => subject === tenantId);
    await until(async () => ownRevocations().length === 4);
    expect(ownRevocations().map(({ kind }) => kind)).toEqual([
      "TenantClosed",
      "TenantOpened",
      "TenantClosed",
      "TenantClosed",
    ]);
    expect(ownRevocations().map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  });

  it("informs a verifier that starts later of revocations that still apply", async () => {
    const second: Revocation[] = [];
    await platform.watchFromElsewhere((revocation) => second.push(revocation));
    expect(second.filter(({ subject }) => subject === tenantId)).toHaveLength(4);
  });
});

describe("a move", () => {
  it("that the state does not allow is refused, with the allowed states", async () => {
    const tenantId = await platform.activeTenant("steady");
    const { refusal } = await move("resumeTenant", tenantId);
    expect(refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Active", allowed: ["Suspended"] });
    await move("archiveTenant", tenantId);
    for (const name of ["suspendTenant", "resumeTenant", "archiveTenant"] as const)
      expect((await move(name, tenantId)).refusal).toMatchObject({ code: "INVALID_STATE", currentState: "Archived" });
  });

  it("that is requested twice at the same time happens once", async () => {
    const tenantId = await platform.activeTenant("twice");
    const answers = await Promise.all([move("suspendTenant", tenantId), move("suspendTenant", tenantId)]);
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    expect(answers.filter(({ refusal }) => refusal?.["code"] === "INVALID_STATE")).toHaveLength(1);
  });

  it("is refused for the platform's own tenant and for an unknown one", async () => {
    expect((await move("suspendTenant", platformTenantId)).refusal).toMatchObject({
      code: "INVALID_STATE",
      allowed: [],
    });
    for (const id of [newId("ten"), "ten_x", "anything"])
      expect((await move("suspendTenant", id)).refusal).toMatchObject({ code: "NOT_FOUND" });
  });

  it("is for platform administrators only", async () => {
    const tenantId = await platform.activeTenant("guarded");
    const owner = principal(tenantId, ["tenant.manage"]);
    expect((await move("suspendTenant", tenantId, null, owner)).refusal).toMatchObject({
      code: "PLATFORM_ADMIN_REQUIRED",
    });
  });
});

describe("Query.tenant", () => {
  it("shows every tenant to a platform administrator, and answers NOT_FOUND for an unknown id", async () => {
    const { tenantId } = await platform.registerTenant("shown");
    const query = "query ($tenantId: ID!) { tenant(tenantId: $tenantId) { slug status } }";
    const { data } = await platform.ask(platformAdmin(), query, { tenantId });
    expect(data).toEqual({ tenant: { slug: "shown", status: "Provisioning" } });
    const { refusal } = await platform.ask(platformAdmin(), query, { tenantId: newId("ten") });
    expect(refusal).toMatchObject({ code: "NOT_FOUND" });
  });
});
