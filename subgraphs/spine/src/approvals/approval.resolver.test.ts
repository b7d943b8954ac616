import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import { type Answer, principal, RunningSpine } from "../running-spine.fixture.js";
import { storedSettings, TenantSettings } from "../settings/configuration/tenant-settings.js";
import { type ApprovalRequest, ApprovalRequests } from "./approval-request.js";

let platform: RunningSpine;
let database: Database;
let requests: ApprovalRequests;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  database = await platform.openDatabase();
  requests = new ApprovalRequests(database, new TenantSettings(storedSettings(database)));
  tenantId = await platform.activeTenant("acme");
});
afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

const fields =
  "approvalId agentClientId agentTaskId subject scopes status requiredAcr requestedAt validUntil decidedBy decidedAt comment";
const publish: readonly Scope[] = ["templates.publish"];
const everything: readonly Scope[] = ["governance.read", "governance.approve", ...publish];

const aWish = (changes: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  agentClientId: newId("cli"),
  agentTaskId: "task-1",
  subject: "usr_subject",
  scopes: publish,
  ...changes,
});

const request = (wish: ApprovalRequest, owner = tenantId) =>
  requests.request(tenantWithId(owner), wish, { trace: continueTrace(undefined), actorId: wish.subject });
const standing = (wish: ApprovalRequest, owner = tenantId) => requests.find(tenantWithId(owner), wish);

async function aPending(changes: Partial<ApprovalRequest> = {}): Promise<ApprovalRequest & { approvalId: string }> {
  const wish = aWish(changes);
  return { ...wish, approvalId: (await request(wish)).approvalId };
}

const approver = (changes = {}) => ({ ...principal(tenantId, everything), subject: "usr_boss", ...changes });

function decide(
  field: "approveScopes" | "rejectScopes",
  approvalId: string,
  { by = approver(), input = null, key }: { by?: ReturnType<typeof approver>; input?: unknown; key?: string } = {},
): Promise<Answer> {
  const document = `mutation ($approvalId: ID!, $input: ApprovalDecisionInput) {
    ${field}(approvalId: $approvalId, input: $input) { ${fields} } }`;
  return platform.ask(by, document, { approvalId, input }, key);
}

async function show(approvalId: string, by = approver()): Promise<Answer> {
  return platform.ask(by, `query ($approvalId: ID!) { approval(approvalId: $approvalId) { ${fields} } }`, {
    approvalId,
  });
}

const expire = (agentClientId: string) =>
  platform.admin.query("update approvals set valid_until = now() - interval '1 second' where agent_client_id = $1", [
    agentClientId,
  ]);

async function eventsAbout(approvalId: string) {
  return (await platform.eventsOf(tenantId)).filter(({ subject }) => subject === `approvals/${approvalId}`);
}

describe("a request for publishing scopes", () => {
  it("creates one approval and one event for 15 requests at the same time", async () => {
    const wish = aWish();
    const answers = await Promise.all(Array.from({ length: 15 }, () => request(wish)));
    expect(new Set(answers.map(({ approvalId }) => approvalId)).size).toBe(1);
    const approvalId = answers[0]?.approvalId ?? "";
    const events = await eventsAbout(approvalId);
    expect(events.map(({ type, data, actorid }) => [type, data, actorid])).toEqual([
      [
        "ScopeApprovalRequested",
        {
          approvalId,
          agentClientId: wish.agentClientId,
          agentTaskId: "task-1",
          subject: "usr_subject",
          scopes: publish,
          validUntil: expect.any(String),
        },
        "usr_subject",
      ],
    ]);
  });

  it("belongs to an existing approval only if all its members are equal", async () => {
    const wish = aWish();
    const { approvalId } = await request(wish);
    const others = [
      { ...wish, agentTaskId: "task-2" },
      { ...wish, subject: "usr_other" },
      { ...wish, scopes: ["libraries.publish", "templates.publish"] as const },
      { ...wish, agentClientId: newId("cli") },
    ];
    const ids = await Promise.all(others.map(async (other) => (await request(other)).approvalId));
    expect(new Set([approvalId, ...ids]).size).toBe(5);
  });

  it("is refused when the agent has twenty Pending approvals", async () => {
    const wish = aWish();
    for (let task = 0; task < 20; task += 1) await request({ ...wish, agentTaskId: `task-${task}` });
    await expect(request({ ...wish, agentTaskId: "one-more" })).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(await request({ ...wish, agentTaskId: "task-3" })).toMatchObject({ status: "Pending" });
    await expire(wish.agentClientId);
    expect(await request({ ...wish, agentTaskId: "one-more" })).toMatchObject({ status: "Pending" });
  });
});

describe("Mutation.approveScopes", () => {
  it("gives the agent the scopes for one hour", async () => {
    const { approvalId, ...wish } = await aPending();
    const { data } = await decide("approveScopes", approvalId, { input: { comment: "For release 7." } });
    const approval = data?.["approveScopes"];
    expect(approval).toEqual({
      ...wish,
      approvalId,
      scopes: publish,
      status: "Approved",
      requiredAcr: null,
      requestedAt: expect.any(String),
      validUntil: expect.any(String),
      decidedBy: "usr_boss",
      decidedAt: expect.any(String),
      comment: "For release 7.",
    });
    expect(Date.parse(approval.validUntil) - Date.parse(approval.decidedAt)).toBe(3_600_000);
    expect(await standing(wish)).toMatchObject({ approvalId, status: "Approved" });
    expect((await eventsAbout(approvalId)).at(-1)).toMatchObject({
      type: "ScopeApprovalGranted",
      actorid: "usr_boss",
      data: { approvalId, decidedBy: "usr_boss", scopes: publish, validUntil: approval.validUntil },
    });
    expect(JSON.stringify(await eventsAbout(approvalId))).not.toContain("release 7");
  });

  it("covers the same request with fewer scopes, and nothing else", async () => {
    const scopes: readonly Scope[] = ["libraries.publish", "templates.publish"];
    const { approvalId, ...wish } = await aPending({ scopes });
    await decide("approveScopes", approvalId, { by: approver({ scopes: new Set([...everything, ...scopes]) }) });
    expect(await standing({ ...wish, scopes: ["libraries.publish"] })).toMatchObject({ approvalId });
    for (const other of [
      { ...wish, agentTaskId: "task-2" },
      { ...wish, subject: "usr_other" },
      { ...wish, agentClientId: "cli_other" },
    ])
      expect(await standing(other)).toBeUndefined();
    expect(await standing(wish, await platform.activeTenant("elsewhere"))).toBeUndefined();
    await expire(wish.agentClientId);
    expect(await standing(wish)).toBeUndefined();
    expect((await show(approvalId)).data?.["approval"].status).toBe("Expired");
  });

  it.each([
    ["the subject", { subject: "usr_subject" }],
    ["the agent", { subject: "cli_agent", clientId: "cli_agent" }],
    ["another client of the agent", { clientId: "cli_agent" }],
    ["another agent with another subject", { principalType: "Agent", actors: ["cli_other"] }],
  ])("is not for %s", async (_, changes) => {
    const { approvalId } = await aPending({ agentClientId: "cli_agent", agentTaskId: newId("run") });
    for (const field of ["approveScopes", "rejectScopes"] as const) {
      const { refusal } = await decide(field, approvalId, { by: approver(changes) });
      expect(refusal).toMatchObject({ code: "SELF_APPROVAL", status: 403 });
    }
    expect((await show(approvalId)).data?.["approval"].status).toBe("Pending");
  });

  it("needs an approver who holds the scopes; a rejection needs none", async () => {
    const { approvalId } = await aPending();
    const by = approver({ scopes: new Set(["governance.approve"]) });
    expect((await decide("approveScopes", approvalId, { by })).refusal).toMatchObject({
      code: "INSUFFICIENT_SCOPE",
      requiredScopes: publish,
    });
    expect((await decide("rejectScopes", approvalId, { by })).data?.["rejectScopes"].status).toBe("Rejected");
  });

  it("is made once, and the same Idempotency-Key returns the stored answer", async () => {
    const { approvalId } = await aPending();
    const first = await decide("approveScopes", approvalId, { key: "approve-1" });
    const again = await decide("approveScopes", approvalId, { key: "approve-1" });
    expect([again.replayed, again.data]).toEqual([true, first.data]);
    expect((await decide("approveScopes", approvalId)).refusal).toMatchObject({
      code: "INVALID_STATE",
      status: 409,
      currentState: "Approved",
      allowed: ["Pending"],
    });
    expect((await decide("rejectScopes", approvalId)).refusal).toMatchObject({ currentState: "Approved" });
    expect((await eventsAbout(approvalId)).map(({ type }) => type)).toEqual([
      "ScopeApprovalRequested",
      "ScopeApprovalGranted",
    ]);
  });

  it("is made by only one of two principals at the same time", async () => {
    const { approvalId } = await aPending();
    const answers = await Promise.all([decide("approveScopes", approvalId), decide("rejectScopes", approvalId)]);
    expect(new Set(answers.map(({ refusal }) => refusal?.["code"]))).toEqual(new Set(["INVALID_STATE", undefined]));
    expect(await eventsAbout(approvalId)).toHaveLength(2);
  });

  it("is refused after one day", async () => {
    const { approvalId, agentClientId, ...wish } = await aPending();
    await expire(agentClientId);
    expect((await decide("approveScopes", approvalId)).refusal).toMatchObject({ currentState: "Expired" });
    expect((await request({ ...wish, agentClientId })).approvalId).not.toBe(approvalId);
    const { rows } = await platform.admin.query("select status from approvals where agent_client_id = $1", [
      agentClientId,
    ]);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["Expired", "Pending"]));
  });
});

describe("Mutation.rejectScopes", () => {
  it("is valid for one hour, in which the agent cannot repeat the request", async () => {
    const { approvalId, ...wish } = await aPending();
    await decide("rejectScopes", approvalId, { input: { comment: "Not on a Friday." } });
    expect(await request(wish)).toMatchObject({ approvalId, status: "Rejected" });
    expect((await eventsAbout(approvalId)).at(-1)).toMatchObject({ type: "ScopeApprovalRejected" });
    await expire(wish.agentClientId);
    expect((await show(approvalId)).data?.["approval"].status).toBe("Rejected");
    expect(await request(wish)).toMatchObject({ status: "Pending" });
  });
});

describe("Query.approvals", () => {
  let lister: ReturnType<typeof approver>;
  let ids: string[];

  beforeAll(async () => {
    const owner = await platform.activeTenant("lists");
    lister = { ...principal(owner, everything), subject: "usr_boss" };
    ids = [];
    for (const agentTaskId of ["a", "b", "c", "d", "e"])
      ids.push((await request(aWish({ agentTaskId }), owner)).approvalId);
    await decide("rejectScopes", ids[1] ?? "", { by: lister });
    await decide("approveScopes", ids[2] ?? "", { by: lister });
    await platform.admin.query("update approvals set valid_until = now() where agent_task_id = 'c' and subject = $1", [
      "usr_subject",
    ]);
  });

  const list = async (variables: Record<string, unknown>) =>
    platform.ask(
      lister,
      `query ($first: Int, $after: String, $filter: ApprovalFilterInput) {
        approvals(first: $first, after: $after, filter: $filter) { items { approvalId } nextCursor } }`,
      variables,
    );
  const idsOf = ({ data }: Answer) =>
    data?.["approvals"].items.map((approval: { approvalId: string }) => approval.approvalId);

  it("lists all approvals in pages, the newest first", async () => {
    const first = await list({ first: 2 });
    const second = await list({ first: 2, after: first.data?.["approvals"].nextCursor });
    const third = await list({ first: 2, after: second.data?.["approvals"].nextCursor });
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids.toReversed());
    expect(third.data?.["approvals"].nextCursor).toBeNull();
  });

  it("filters by the current status", async () => {
    expect(idsOf(await list({ filter: { status: "Rejected" } }))).toEqual([ids[1]]);
    expect(idsOf(await list({ filter: { status: "Expired" } }))).toEqual([ids[2]]);
    expect(idsOf(await list({ filter: { status: "Approved" } }))).toEqual([]);
    expect(idsOf(await list({ filter: { status: "Pending", agentTaskId: "e" } }))).toEqual([ids[4]]);
  });
});
