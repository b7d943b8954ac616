import { ModelInvocationDefinition } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import { forgedTokens } from "../kit/forged-tokens.js";
import { GrpcChannels } from "../kit/grpc-channels.js";
import { aModelConnection, aModelVendor } from "../kit/models.js";
import { opensslClient } from "../kit/openssl-clients.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

describe("svc.model.v1.ModelInvocation", () => {
  const channels = new GrpcChannels();
  const certificate = opensslClient({ names: "DNS:product.factory.internal" });
  let vendor: Awaited<ReturnType<typeof aModelVendor>>;
  let tenant: TestTenant;
  let connectionId: string;
  let token: string;

  const messages = [{ role: "user", content: "hello" }];
  const product = async () => (await channels.as(certificate)).client(ModelInvocationDefinition);

  beforeAll(async () => {
    [vendor, tenant] = await Promise.all([aModelVendor(), aTenant()]);
    connectionId = await aModelConnection(await tenant.tokenWith(), vendor.baseUrl);
    token = await tenant.tokenWith("integration.models.invoke");
  });
  afterAll(() => {
    channels.close();
    vendor.close();
  });

  it("answers products, and the run is read by REST", async () => {
    let runId: unknown;
    const answer = await (await product()).complete(
      { connectionId, model: "echo", messages },
      {
        headers: { authorization: `Bearer ${token}`, "x-tenant-id": tenant.tenantId },
        onTrailer(trailer) {
          runId = trailer.get("run-id");
        },
      },
    );
    expect(answer).toMatchObject({ content: "echo: hello", finishReason: "stop", usage: { totalTokens: 18 } });
    expect(runId).toBe(answer.runId);
    const { body } = await request(`GET /integrations/runs/${String(runId)}`, {
      token: await tenant.tokenWith("integration.runs.read"),
    });
    expect(body).toMatchObject({ runId, connectionId, operation: "CompleteModel", status: "Completed", attempts: 1 });
  });

  it("streams to products", async () => {
    const texts: string[] = [];
    const headers = { authorization: `Bearer ${token}` };
    for await (const { delta } of (await product()).stream({ connectionId, model: "words-4", messages }, { headers }))
      texts.push(delta);
    expect(texts.join("")).toBe("w1 w2 w3 w4 ");
  });

  it("refuses a forged token, one of another tenant, and one without the scope", async () => {
    const models = await product();
    const complete = (bearer: string, headers: Record<string, string> = {}) =>
      models.complete(
        { connectionId, model: "refused", messages },
        { headers: { authorization: `Bearer ${bearer}`, ...headers } },
      );
    const other = await aTenant();
    const theirs = await other.tokenWith("integration.models.invoke");
    await expect(complete(theirs)).rejects.toMatchObject({ code: "CONNECTION_NOT_FOUND" });
    await expect(complete(theirs, { "x-tenant-id": tenant.tenantId })).rejects.toMatchObject({
      code: "TENANT_MISMATCH",
    });
    const narrow = await tenant.tokenWith("integration.connections.read");
    await expect(complete(narrow)).rejects.toMatchObject({
      code: "INSUFFICIENT_SCOPE",
    });
    for (const forgery of Object.values(await forgedTokens(token)))
      await expect(complete(forgery)).rejects.toMatchObject({ code: expect.stringMatching(/^TOKEN_/) });
  });

  it("refuses a certificate of another authority", async () => {
    const strange = opensslClient({ names: "DNS:product.factory.internal", ownAuthority: true });
    const models = (await channels.as(strange)).client(ModelInvocationDefinition);
    const headers = { authorization: `Bearer ${token}` };
    await expect(models.complete({ connectionId, model: "refused", messages }, { headers })).rejects.toMatchObject({
      code: "UNAVAILABLE",
    });
  });
});
