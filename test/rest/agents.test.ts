import { accessToken } from "@factory/platform/client/platform-api";
import { tenantScopes } from "@factory/schema/scopes";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { anAgent, aService, exchange } from "../kit/agents.js";
import { aSignInClient, browserTokens } from "../kit/code-flow.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFeed, type Feed } from "../kit/feed.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { aPerson } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { refusal } from "../kit/refusal.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aPasswordClient, signedIn } from "../kit/sign-ins.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

type Client = Awaited<ReturnType<typeof anAgent>>;

interface ReceivedEvent {
  readonly events: { readonly type: string; readonly data: Record<string, unknown>; readonly subjectPath: string };
}

/** Scopes that an agent cannot get: their effect lasts longer than the task, they move money, or they show personal data. */
const withheld: readonly string[] = [
  "client.manage",
  "user.invite",
  "role.assign",
  "governance.approve",
  "payments.write",
  "audit.read",
];

let tenant: TestTenant;
let agent: Client;
let subject: Client & { token: string };
let approver: Client & { token: string };
let version: TestVersion;
let feed: Feed<ReceivedEvent>;

beforeAll(async () => {
  tenant = await aTenant();
  [agent, subject, approver] = await Promise.all([
    anAgent(tenant.tenantId),
    aService(
      tenant.tenantId,
      tenantScopes.filter((scope) => scope !== "client.manage"),
    ),
    aService(tenant.tenantId),
  ]);
  version = await aTemplateVersion(subject.token, await aTemplateSource());
  feed = await aFeed<ReceivedEvent>({
    token: approver.token,
    query:
      'subscription { events(after: "0", types: ["ScopeApprovalRequested", "ScopeApprovalGranted", "ScopeApprovalRejected", "TemplateVersionPublished"]) { type data subjectPath } }',
  });
});

afterAll(() => feed?.stop());

const agentToken = async (form: Record<string, string> = {}, from = subject.token) =>
  (await exchange(agent, from, form)).body["access_token"] as string;

const execute = (token: string, correlation?: Record<string, unknown>) =>
  request(`POST /v1/templates/${version.templateId}/execute`, {
    token,
    body: { templateVersionId: version.templateVersionId, target: { repository: "acme/agents" }, correlation },
  });

const decide = (decision: "approve" | "reject", approvalId: string, token = approver.token) =>
  request(`POST /v1/approvals/${approvalId}/${decision}`, { token, body: { comment: "Looked at it." } });

const approvalOf = async (approvalId: string) =>
  (await request(`GET /v1/approvals/${approvalId}`, { token: approver.token })).body;

async function publish(token: string): Promise<string> {
  const { body } = await graphql<Json>(
    `mutation { publishTemplateVersion(templateVersionId: "${version.templateVersionId}") { status } }`,
    { token },
  );
  return body.errors?.[0]?.extensions.code ?? body.data["publishTemplateVersion"]?.["status"] ?? "";
}

async function revoke(kind: string, subjectId: string): Promise<void> {
  await rows(
    `with raised as (
       insert into spine.subject_versions as known (tenant_id, kind, subject, version)
       select tenant_id, $1, $2, 1 from spine.tenants where slug = $3
       on conflict (tenant_id, kind, subject) do update set version = known.version + 1 returning *)
     insert into spine.revocations (tenant_id, revocation_id, kind, subject, version, expires_at)
     select tenant_id, gen_random_uuid(), kind, subject, version, now() + interval '1 hour' from raised`,
    [kind, subjectId, tenant.slug],
  );
}

describe("the token of an agent", () => {
  it("is issued by RFC 8693 to a client that follows only the RFCs", async () => {
    const issuer = new URL(platform().publicUrl);
    const options = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    expect(server.grant_types_supported).toContain("urn:ietf:params:oauth:grant-type:token-exchange");
    const client = { client_id: agent.clientId };
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.ClientSecretBasic(agent.clientSecret),
      "urn:ietf:params:oauth:grant-type:token-exchange",
      {
        subject_token: subject.token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        agent_task_id: "task-rfc",
        scope: "templates.read",
      },
      options,
    );
    const token = await oauth.processGenericTokenEndpointResponse(server, client, response);
    expect(token).toMatchObject({
      token_type: "bearer",
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "templates.read",
    });
    const claims = await oauth.validateJwtAccessToken(
      server,
      new Request(platform().publicUrl, { headers: { authorization: `Bearer ${token.access_token}` } }),
      platform().publicUrl,
      options,
    );
    expect(claims).toMatchObject({ sub: subject.clientId, client_id: agent.clientId });
  });

  it("contains the chain of agents that work on a task", async () => {
    const helper = await anAgent(tenant.tenantId);
    const { body } = await exchange(helper, await agentToken());
    expect(decodeJwt(body["access_token"])).toMatchObject({
      sub: subject.clientId,
      act: { sub: helper.clientId, act: { sub: agent.clientId } },
      agentTaskId: "task-1",
    });
    expect((await exchange(helper, await agentToken(), { agent_task_id: "task-2" })).body).toMatchObject({
      error: "invalid_request",
      code: "AGENT_TASK_MISMATCH",
    });
  });

  it("can be used only for its own task", async () => {
    const token = await agentToken();
    expect(refusal(await execute(token, { agentTaskId: "task-2" }))).toBe("403 AGENT_TASK_MISMATCH");
    for (const correlation of [{ agentTaskId: "task-1" }, {}, undefined]) {
      const { status, body } = await execute(token, correlation);
      expect(status).toBe(202);
      const path = `/v1/templates/${version.templateId}/executions/${String(body["executionId"])}`;
      const execution = await request(`GET ${path}`, { token });
      expect(execution.body["correlation"]).toEqual({ agentTaskId: "task-1" });
    }
    const fields = "executionId";
    const brokenVersion = await aTemplateVersion(subject.token, "stored://nowhere");
    const failedExecution = await executed(subject.token, brokenVersion, {
      target: { repository: "acme/agents" },
      correlation: { agentTaskId: "task-9" },
    });
    const input = `{ templateVersionId: "${version.templateVersionId}", target: { repository: "acme/agents" }, correlation: { agentTaskId: "task-2" } }`;
    const documents = [
      `mutation { cancelExecution(executionId: "${failedExecution.executionId}") { ${fields} } }`,
      `mutation { retryExecution(executionId: "${failedExecution.executionId}", input: {}) { ${fields} } }`,
      `{ previewExecution(templateId: "${version.templateId}", input: ${input}) { contentDigest } }`,
    ];
    for (const document of documents) {
      const { body } = await graphql(document, { token });
      expect([document, body.errors?.[0]?.extensions.code]).toEqual([document, "AGENT_TASK_MISMATCH"]);
    }
  });
});

describe("a subject_token", () => {
  const refusalOf = async (token: string) => {
    const { status, body } = await exchange(agent, token);
    return [status, body["error"], body["code"]];
  };

  it("of another tenant is refused", async () => {
    const other = await aTenant();
    expect(await refusalOf(await other.tokenWith())).toEqual([400, "invalid_request", "TENANT_MISMATCH"]);
    expect(await refusalOf(await platformToken())).toEqual([400, "invalid_request", "TENANT_MISMATCH"]);
  });

  it("that the platform did not sign is refused", async () => {
    for (const [name, token] of Object.entries(await forgedTokens(subject.token)))
      expect([name, ...(await refusalOf(token))]).toEqual([name, 400, "invalid_request", "TOKEN_INVALID"]);
  });

  it("that was revoked is refused, and a revoked subject also ends the token of the agent", async () => {
    const service = await aService(tenant.tenantId);
    const token = await agentToken({}, service.token);
    expect((await execute(token)).status).toBe(202);
    await revoke("Principal", service.clientId);
    expect(await refusalOf(service.token)).toEqual([400, "invalid_request", "TOKEN_INVALID"]);
    await rows("select pg_notify('spine_revocations', '')");
    await eventually("the agent's token is refused", async () => (await execute(token)).status === 401);
  });
});

describe("publishing on behalf of a subject", () => {
  const parameters = { agent_task_id: "release-7", scope: "templates.read templates.publish" };
  let approvalId: string;

  it("is not allowed by the scopes of the agent and its subject alone", async () => {
    const token = await agentToken();
    expect(decodeJwt(token)["scope"]).not.toContain("publish");
    expect(await publish(token)).toBe("INSUFFICIENT_SCOPE");
  });

  it("needs an approval, and 15 requests at the same time create one approval request", async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => exchange(agent, subject.token, parameters)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${String(body["error"])}`))).toEqual(
      new Set(["400 approval_required"]),
    );
    expect(new Set(answers.map(({ body }) => body["approval_id"])).size).toBe(1);
    approvalId = String(answers[0]?.body["approval_id"]);
    const about = () => feed.events.filter(({ events }) => events.subjectPath === `approvals/${approvalId}`);
    await eventually("the event arrives", () => about().length > 0);
    expect(about().map(({ events }) => events.type)).toEqual(["ScopeApprovalRequested"]);
    expect(await approvalOf(approvalId)).toEqual({
      approvalId,
      agentClientId: agent.clientId,
      agentTaskId: "release-7",
      subject: subject.clientId,
      scopes: ["templates.publish"],
      setting: null,
      status: "Pending",
      requestedAt: expect.any(String),
      validUntil: expect.any(String),
      decidedBy: null,
      decidedAt: null,
      comment: null,
      requiredAcr: null,
    });
    const pendingList = await request<{ items: { approvalId: string }[] }>(
      "GET /v1/approvals?status=Pending&agentTaskId=release-7",
      { token: approver.token },
    );
    expect(pendingList.body.items.map((approval) => approval.approvalId)).toEqual([approvalId]);
  });

  it("cannot be approved by the subject, the agent, a principal without the scope or another tenant", async () => {
    expect(refusal(await decide("approve", approvalId, subject.token))).toBe("403 SELF_APPROVAL");
    const ownAgents = await exchange(agent, approver.token, { scope: "governance.approve" });
    expect([ownAgents.status, ownAgents.body["error"]]).toEqual([400, "invalid_scope"]);
    const weak = await aService(tenant.tenantId, ["governance.approve"]);
    expect(refusal(await decide("approve", approvalId, weak.token))).toBe("403 INSUFFICIENT_SCOPE");
    const elsewhere = await (await aTenant()).tokenWith();
    expect(refusal(await decide("approve", approvalId, elsewhere))).toBe("404 NOT_FOUND");
    expect(refusal(await decide("approve", approvalId, await platformToken()))).toBe("404 NOT_FOUND");
    expect((await approvalOf(approvalId))["status"]).toBe("Pending");
  });

  it("works with an approval until the approval ends", async () => {
    const { status, body } = await decide("approve", approvalId);
    expect([status, body["status"], body["decidedBy"], body["comment"]]).toEqual([
      200,
      "Approved",
      approver.clientId,
      "Looked at it.",
    ]);
    expect(refusal(await decide("reject", approvalId))).toBe("409 INVALID_STATE");
    const answer = await exchange(agent, subject.token, parameters);
    expect([answer.status, answer.body["scope"]]).toEqual([200, parameters.scope]);
    const token = String(answer.body["access_token"]);
    expect(decodeJwt(token)).toMatchObject({ approvalId, agentTaskId: "release-7", exp: expect.any(Number) });
    await request(`POST /v1/templates/${version.templateId}/validate`, {
      token: subject.token,
      body: { templateVersionId: version.templateVersionId },
    });
    expect(await publish(token)).toBe("Published");
    const envelopes = () =>
      rows<{ envelope: Json }>(
        "select envelope from integration.event_log where envelope->>'type' = 'TemplateVersionPublished' and envelope->>'agentid' = $1",
        [agent.clientId],
      );
    await eventually("the event names both", async () => (await envelopes()).length > 0);
    expect((await envelopes())[0]?.envelope).toMatchObject({ actorid: subject.clientId, agentid: agent.clientId });

    await rows("update spine.approvals set valid_until = now() where agent_client_id = $1", [agent.clientId]);
    const after = await exchange(agent, subject.token, parameters);
    expect([after.status, after.body["error"]]).toEqual([400, "approval_required"]);
    expect(after.body["approval_id"]).not.toBe(approvalId);
    expect((await approvalOf(approvalId))["status"]).toBe("Expired");
  });

  it("stays refused after a rejection", async () => {
    const form = { ...parameters, agent_task_id: "release-8" };
    const { body } = await exchange(agent, subject.token, form);
    expect((await decide("reject", String(body["approval_id"]))).body["status"]).toBe("Rejected");
    expect((await exchange(agent, subject.token, form)).body).toMatchObject({
      error: "access_denied",
      approval_id: body["approval_id"],
    });
    await eventually("the event arrives", () =>
      feed.events.some(({ events }) => events.type === "ScopeApprovalRejected"),
    );
  });

  it("is not possible for an agent that acts for itself", async () => {
    const credentials = Buffer.from(`${agent.clientId}:${agent.clientSecret}`).toString("base64");
    const headers = { authorization: `Basic ${credentials}`, "content-type": "application/x-www-form-urlencoded" };
    const ask = (raw: string) => request("POST /connect/token", { raw, headers });
    const { body } = await ask("grant_type=client_credentials");
    expect(String(body["scope"]).split(" ")).toEqual(
      tenantScopes.filter((scope) => !scope.endsWith(".publish") && !withheld.includes(scope)),
    );
    for (const scope of ["templates.publish", ...withheld])
      expect((await ask(`grant_type=client_credentials&scope=${scope}`)).body).toMatchObject({
        error: "invalid_scope",
      });
  });
});

describe("the four-eyes rule", () => {
  type Made = Client & { token: string };
  const deciderScopes = ["governance.approve", "templates.publish"];
  let owner: string;
  let ownerId: string;
  let ownClient: Made;
  let colleague: string;
  let wishes = 0;

  const secretOf = async (token: string, query: string, variables: Record<string, unknown>): Promise<Made> => {
    const { body } = await graphql<{ client: Client }>(query, { token, variables });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    const { client } = body.data;
    return { ...client, token: await accessToken(platform(), client) };
  };

  const createClient = (token: string, name: string, scopes: readonly string[]) =>
    secretOf(
      token,
      "mutation ($input: CreateApiClientInput!) { client: createApiClient(input: $input) { clientId clientSecret } }",
      { input: { name, scopes } },
    );

  const rotateSecret = (token: string, { clientId }: Client) =>
    secretOf(
      token,
      "mutation ($clientId: ID!) { client: rotateApiClientSecret(clientId: $clientId) { clientId clientSecret } }",
      { clientId },
    );

  const askApproval = async (token: string): Promise<string> => {
    wishes += 1;
    const form = { agent_task_id: `eyes-${wishes}`, scope: "templates.publish" };
    return String((await exchange(agent, token, form)).body["approval_id"]);
  };

  const decisionOf = async (approvalId: string, by: string) => {
    const { status, body } = await decide("approve", approvalId, by);
    return [status, body["code"] ?? body["status"]];
  };
  const selfApproval = [403, "SELF_APPROVAL"];
  const approvedAnswer = [200, "Approved"];

  beforeAll(async () => {
    const person = await aPerson(tenant, "TenantOwner");
    ownerId = person.userId;
    const desk = await aPasswordClient(tenant.tenantId);
    owner = (await signedIn(desk, person)).access_token;
    const studio = await aSignInClient(tenant.tenantId, { firstParty: true, scopes: deciderScopes });
    const second = await aPerson(tenant, "TenantOwner");
    colleague = (await browserTokens(studio, second, `openid ${deciderScopes.join(" ")}`)).access_token;
    ownClient = await createClient(owner, "a second self", [...deciderScopes, "client.manage"]);
  });

  it("refuses a client that the subject created, and a client that this client created", async () => {
    const approvalId = await askApproval(owner);
    expect((await approvalOf(approvalId))["subject"]).toBe(ownerId);
    expect(await decisionOf(approvalId, owner)).toEqual(selfApproval);
    expect(await decisionOf(approvalId, ownClient.token)).toEqual(selfApproval);
    const behind = await createClient(ownClient.token, "a third self", deciderScopes);
    expect(await decisionOf(approvalId, behind.token)).toEqual(selfApproval);
    expect((await approvalOf(approvalId))["status"]).toBe("Pending");
    expect(await decisionOf(approvalId, colleague)).toEqual(approvedAnswer);
  });

  it("refuses a principal that knows the secret of the subject, and the other clients of this principal", async () => {
    const robot = await createClient(owner, "a robot", ["templates.publish"]);
    const approvalId = await askApproval(robot.token);
    expect(await decisionOf(approvalId, owner)).toEqual(selfApproval);
    expect(await decisionOf(approvalId, ownClient.token)).toEqual(selfApproval);
    expect(await decisionOf(approvalId, colleague)).toEqual(approvedAnswer);
  });

  it("refuses a client that the subject may take over, and accepts a client that the subject cannot take over", async () => {
    const others = await createClient(approver.token, "somebody else's", deciderScopes);
    expect(await decisionOf(await askApproval(subject.token), others.token)).toEqual(approvedAnswer);
    const approvalId = await askApproval(owner);
    expect(await decisionOf(approvalId, others.token)).toEqual(selfApproval);
    const rotatedClient = await rotateSecret(owner, others);
    expect(await decisionOf(approvalId, rotatedClient.token)).toEqual(selfApproval);
    const back = await rotateSecret(approver.token, others);
    expect(await decisionOf(approvalId, back.token)).toEqual(selfApproval);
    await eventually(
      "the token issued in the meantime is refused",
      async () => (await decisionOf(approvalId, rotatedClient.token))[0] === 401,
    );
  });
});
