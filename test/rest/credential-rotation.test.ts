import { createHmac, randomBytes } from "node:crypto";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aConnection } from "../kit/connections.js";
import { aCredential, credentialBecomes } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aProvider } from "../kit/providers.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
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

const aWord = () => randomBytes(6).toString("hex");

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
  const ended = async (runId: string): Promise<Run> => {
    let run: Omit<Run, "result"> | undefined;
    await eventually("the run has ended", async () => {
      const answer = await request<Run>(`GET /integrations/runs/${runId}`, { token });
      run = answer.body;
      return !["Queued", "Running", "RetryScheduled"].includes(run.status);
    });
    const text = "select result from integration.runs where run_id = $1";
    const [stored] = await rows<Pick<Run, "result">>(text, [decodeId("run", runId)]);
    return { ...run, ...stored } as Run;
  };
  const aKey = () => randomBytes(12).toString("hex");
  const connected = async (kind: string, secret: Record<string, unknown>, input: Record<string, unknown> = {}) => {
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
    });
    const replay = await rotate(credentialId, body, { "idempotency-key": "rotation" });
    expect(replay.body).toEqual({ ...answer.body, signingSecret: null });
    expect(await ended(answer.body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "SignedEcho" },
    });
  });

  it("verifies a new key at the vendor before it is used", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connected("ApiKey", { apiKey: first });
    vendor.accepted.add(first).add(second);
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    expect(await ended(body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "Probe", connectionIds: [connectionId], version: 2 },
    });
    expect(vendor.calls.some(({ credential, path }) => credential === second && path === "/me")).toBe(true);
    await credentialBecomes(token, credentialId, "Active");
  });

  it("keeps the former key when the vendor refuses the new one, and does not try again", async () => {
    const [first, second] = [aKey(), aKey()];
    const { credentialId, connectionId } = await connected("ApiKey", { apiKey: first });
    vendor.accepted.add(first);
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    expect(await ended(body.verificationRunId)).toMatchObject({
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
    const { credentialId } = await connected("ApiKey", { apiKey: first });
    vendor.accepted.add(first).add(second);
    vendor.behave({ status: 503 });
    const { body } = await rotate(credentialId, { secret: { apiKey: second } });
    const again = await rotate(credentialId, { secret: { apiKey: second } });
    expect(refusal(again)).toBe("409 CREDENTIAL_ROTATION_IN_PROGRESS");
    expect(again.body).toMatchObject({ verificationRunId: body.verificationRunId });
    vendor.behave("works");
    expect(await ended(body.verificationRunId)).toMatchObject({ status: "Completed", result: { check: "Probe" } });
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
    const { credentialId } = await connected("OAuth2Client", { clientId, clientSecret }, more);
    const wrong = await rotate(credentialId, { secret: { clientId, clientSecret: "wrong" } });
    expect(await ended(wrong.body.verificationRunId)).toMatchObject({
      status: "Failed",
      error: { code: "CREDENTIAL_REJECTED" },
    });
    const changed = vendor.oauth.changeSecret(vendor.oauth.basic);
    const right = await rotate(credentialId, { secret: { ...changed } });
    expect(await ended(right.body.verificationRunId)).toMatchObject({
      status: "Completed",
      result: { check: "Probe", version: 3 },
    });
  });

  it("says which secrets it cannot generate, and knows no credential of another tenant", async () => {
    const { credentialId } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "a" } });
    expect(refusal(await rotate(credentialId))).toBe("422 PARAMETERS_INVALID");
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

describe("a rotation while deliveries arrive", () => {
  it("refuses no delivery of either secret in the grace period, and all of the former one afterwards", async () => {
    const token = await (await aTenant()).tokenWith();
    const post = (path: string, body: unknown) => request<Record<string, string>>(`POST ${path}`, { token, body });
    const [former, next, key] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex"), `grace-${aWord()}`];
    const { credentialId, credentialRef } = await aCredential(token, {
      kind: "VendorWebhookSecret",
      secret: { secret: former },
    });
    const providerId = await aProvider(token, { key, preset: "webhook" });
    const source = await post("/webhooks/subscriptions", {
      direction: "Inbound",
      providerId,
      signingSecretRef: credentialRef,
    });
    expect([source.status, source.text]).toEqual([201, expect.any(String)]);
    const sent: { secret: string; at: number; answer: Promise<number> }[] = [];
    const send = (secret: string) => {
      const raw = JSON.stringify({ providerDeliveryId: aWord(), eventName: "ping", payload: {} });
      const signature = createHmac("sha256", secret).update(raw).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-svc-provider": key,
        "x-hub-signature-256": `sha256=${signature}`,
      };
      const answer = request("POST /webhooks/deliveries", { headers, raw }).then(({ status }) => status);
      sent.push({ secret, at: Date.now(), answer });
    };
    let secrets = [former];
    const timer = setInterval(() => send(secrets[sent.length % secrets.length] ?? former), 20);
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await post("/integrations/credentials/rotate", { credentialId, secret: { secret: next }, graceSeconds: 3 });
      await credentialBecomes(token, credentialId, "Active");
      secrets = [former, next];
      const query = "query ($id: ID!) { credential(credentialId: $id) { versions { stage graceEndsAt } } }";
      const { body } = await graphql<{ credential: { versions: { stage: string; graceEndsAt: string }[] } }>(query, {
        token,
        variables: { id: credentialId },
      });
      const graceEndsAt = Date.parse(body.data.credential.versions[1]?.graceEndsAt ?? "");
      expect(body.data.credential.versions.map(({ stage }) => stage)).toEqual(["Current", "Previous"]);
      await new Promise((resolve) => setTimeout(resolve, graceEndsAt - Date.now() + 1000));
      clearInterval(timer);
      const statuses = await Promise.all(sent.map(async ({ answer, ...rest }) => ({ ...rest, status: await answer })));
      // A request that was under way when the grace period ended may have either answer.
      const inGrace = statuses.filter(({ at }) => at < graceEndsAt - 300);
      const afterwards = statuses.filter(({ at }) => at > graceEndsAt);
      const answersTo = (secret: string, list = afterwards) =>
        new Set(list.filter((delivery) => delivery.secret === secret).map(({ status }) => status));
      expect(inGrace.length).toBeGreaterThan(100);
      expect([answersTo(former, inGrace), answersTo(next, inGrace)]).toEqual([new Set([202]), new Set([202])]);
      expect([answersTo(former), answersTo(next)]).toEqual([new Set([401]), new Set([202])]);
    } finally {
      clearInterval(timer);
    }
  });
});
