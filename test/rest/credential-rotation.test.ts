import { randomBytes } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aConnection } from "../kit/connections.js";
import { aCredential, credentialBecomes } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aProvider } from "../kit/providers.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { aVendor, type Vendor } from "../kit/vendor.js";

interface Rotation {
  readonly verificationRunId: string;
  readonly newVersionRef: string;
}

interface Run {
  readonly status: string;
  readonly attempts: number;
  readonly result: Record<string, unknown> | null;
  readonly error: { code: string } | null;
}

describe("POST /integrations/credentials/rotate", () => {
  let tenant: TestTenant;
  let token: string;
  let vendor: Vendor;
  let providerId: string;

  beforeAll(async () => {
    [tenant, vendor] = [await aTenant(), await aVendor()];
    token = await tenant.tokenWith();
    providerId = await aProvider(token, {
      key: "rotated",
      authModel: "ApiKey",
      baseUrl: vendor.baseUrl,
      driver: { probe: { method: "GET", path: "/me", okStatuses: [200] } },
    });
  });
  afterAll(() => vendor.close());
  beforeEach(() => vendor.behave("works"));

  const rotate = (credentialId: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    request<Rotation>("POST /integrations/credentials/rotate", { token, body: { credentialId, ...body }, headers });
  const endedRun = async (runId: string): Promise<Run> => {
    let run: Omit<Run, "result"> | undefined;
    await eventually("the run has ended", async () => {
      const answer = await request<Run>(`GET /integrations/runs/${runId}`, { token });
      run = answer.body;
      return !["Queued", "Running", "RetryScheduled"].includes(run.status);
    });
    const text = "select result from integration.runs where run_id = $1";
    const [storedRun] = await rows<Pick<Run, "result">>(text, [decodeId("run", runId)]);
    return { ...run, ...storedRun } as Run;
  };
  const aKey = () => randomBytes(12).toString("hex");
  const connect = async (kind: string, secret: Record<string, unknown>, input: Record<string, unknown> = {}) => {
    const { credentialId, credentialRef } = await aCredential(token, { kind, secret });
    const connectionId = await aConnection(token, providerId, { credentialRef, ...input });
    return { credentialId, connectionId };
  };

  it("answers 202 with the run that verifies the new version", async () => {
    const { credentialId, credentialRef } = await aCredential(token);
    const body = { tenantId: tenant.tenantId, reason: "ManualRotation" };
    const answer = await rotate(credentialId, body, { "idempotency-key": "rotation" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      202,
      `/integrations/runs/${answer.body.verificationRunId}`,
    ]);
    expect(answer.body).toEqual({
      credentialId,
      status: "Rotating",
      newVersionRef: `${credentialRef}#v2`,
      verificationRunId: expect.stringMatching(/^run_/),
      signingSecret: expect.stringMatching(/^whsec_/),
      materialDueAt: null,
    });
    const replay = await rotate(credentialId, body, { "idempotency-key": "rotation" });
    expect(replay.body).toEqual({ ...answer.body, signingSecret: null });
    expect(await endedRun(answer.body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "SignedEcho" },
    });
  });

  it("verifies a new key at the vendor before it is used", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connect("ApiKey", { apiKey: first });
    vendor.accepted.add(first).add(second);
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    expect(await endedRun(body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "Probe", connectionIds: [connectionId], version: 2 },
    });
    expect(vendor.calls.some(({ credential, path }) => credential === second && path === "/me")).toBe(true);
    await credentialBecomes(token, credentialId, "Active");
  });

  it("keeps the former key when the vendor refuses the new one, and does not try again", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connect("ApiKey", { apiKey: first });
    vendor.accepted.add(first);
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    expect(await endedRun(body.verificationRunId)).toMatchObject({
      status: "Failed",
      attempts: 1,
      error: { code: "CREDENTIAL_REJECTED" },
    });
    await credentialBecomes(token, credentialId, "RotationFailed");
    const connection = await request(`GET /integrations/connections/${connectionId}`, { token });
    expect(connection.body).toMatchObject({ status: "Active" });
  });

  it("answers 409 with the running verification, which is tried again while the vendor is unavailable", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId } = await connect("ApiKey", { apiKey: first });
    vendor.accepted.add(first).add(second);
    vendor.behave({ status: 503 });
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    const again = await rotate(credentialId, { secret: { apiKey: second } });
    expect(refusal(again)).toBe("409 CREDENTIAL_ROTATION_IN_PROGRESS");
    expect(again.body).toMatchObject({ verificationRunId: body.verificationRunId });
    vendor.behave("works");
    expect(await endedRun(body.verificationRunId)).toMatchObject({ status: "Completed", result: { check: "Probe" } });
  });

  it("gives a connection back that the vendor has refused with the former key", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connect("ApiKey", { apiKey: first });
    const becomes = (status: string) =>
      eventually(`the connection is ${status}`, async () => {
        const { body } = await request(`GET /integrations/connections/${connectionId}`, { token });
        return body["status"] === status;
      });
    await request(`POST /integrations/connections/${connectionId}/check`, { token, headers: { prefer: "wait=10" } });
    await request(`POST /integrations/connections/${connectionId}/check`, { token, headers: { prefer: "wait=10" } });
    await becomes("AuthorizationRequired");
    vendor.accepted.add(second);
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    expect(await endedRun(body.verificationRunId)).toMatchObject({ status: "Completed", result: { check: "Probe" } });
    await becomes("Active");
  });

  it("verifies a vendor's client secret by a token", async () => {
    const { clientId, clientSecret } = vendor.oauth.basic;
    const oauth = { tokenUrl: vendor.oauth.tokenUrl, clientAuthentication: "client_secret_basic", scopes: ["api"] };
    const provider = await aProvider(token, {
      key: "rotated-oauth",
      authModel: "OAuth2",
      baseUrl: vendor.baseUrl,
      driver: { oauth2: oauth },
    });
    const more = { providerId: provider, authMode: "OAuth2ClientCredentials" };
    const { credentialId } = await connect("OAuth2Client", { clientId, clientSecret }, more);
    const wrong = await rotate(credentialId, { secret: { clientId, clientSecret: "wrong" } });
    expect(await endedRun(wrong.body.verificationRunId)).toMatchObject({
      status: "Failed",
      error: { code: "CREDENTIAL_REJECTED" },
    });
    const newSecret = vendor.oauth.changeSecret(vendor.oauth.basic);
    const right = await rotate(credentialId, { secret: { ...newSecret } });
    expect(await endedRun(right.body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "Probe", version: 3 },
    });
  });

  it("answers the specification's request for a key of a vendor, whose version waits for a second request", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connect("ApiKey", { apiKey: first });
    vendor.accepted.add(first).add(second);
    const { body, status, headers } = await request<Rotation>("POST /integrations/credentials/rotate", {
      token,
      body: { tenantId: tenant.tenantId, credentialId, reason: "ScheduledRotation" },
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: "Rotating", newVersionRef: expect.stringMatching(/#v2$/) });
    const run = await request<Run>(String(`GET ${headers.get("location")}`), { token });
    expect(run.body).toMatchObject({
      status: "Queued",
      nextAttemptAt: (body as unknown as Record<string, string>)["materialDueAt"],
      progress: { awaits: "CredentialMaterial", giveAt: "POST /integrations/credentials/rotate" },
    });
    expect(refusal(await rotate(credentialId))).toBe("409 CREDENTIAL_ROTATION_IN_PROGRESS");
    const rotation = await rotate(credentialId, { secret: { apiKey: second } });
    expect(rotation.status).toBe(202);
    expect(rotation.body).toEqual({ ...body, materialDueAt: null });
    expect(await endedRun(body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "Probe", connectionIds: [connectionId], version: 2 },
    });
    await credentialBecomes(token, credentialId, "Active");
  });

  it("knows no credential of another tenant", async () => {
    const { credentialId } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "a" } });
    expect(refusal(await rotate(credentialId, { reason: "Boredom" }))).toBe("422 PARAMETERS_INVALID");
    expect(refusal(await rotate(credentialId, { graceSeconds: 604_801 }))).toBe("400 VALIDATION_FAILED");
    const other = await (await aTenant()).tokenWith();
    const body = { credentialId };
    const answer = await request("POST /integrations/credentials/rotate", { token: other, body });
    expect(refusal(answer)).toBe("404 CREDENTIAL_NOT_FOUND");
    const foreign = await request("POST /integrations/credentials/rotate", {
      token: other,
      body: { ...body, tenantId: tenant.tenantId },
    });
    expect(refusal(foreign)).toBe("403 TENANT_MISMATCH");
  });
});
