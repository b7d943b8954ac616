import { graphql, request } from "../kit/request.js";
import { type TenantObjects, tenantObjects } from "../kit/tenant-objects.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

type Answer = Record<string, Record<string, unknown> | null>;

const document = `query ($template: ID!, $execution: ID!, $run: ID!, $connection: ID!, $user: ID!, $role: ID!, $message: ID!) {
  execution(templateId: $template, executionId: $execution) { templateId template { templateId name } templateVersion { semanticVersion } }
  connection(connectionId: $connection) {
    providerId provider { providerId key } lastRun { operation } tenantId tenant { tenantId slug } }
  run(runId: $run) { connectionId connection { connectionId displayName } }
  user(userId: $user) { tenant { name } }
  roleAssignments(roleId: $role) { items { principal { id ... on ApiClient { status } } user { email } role { code } } }
  webhookMessage(messageId: $message) { subscription { eventType } attempts { message { status } } } }`;

let tenant: TestTenant;
let objects: TenantObjects;
let runId: string;

beforeAll(async () => {
  tenant = await aTenant();
  objects = await tenantObjects(tenant);
  const token = await tenant.tokenWith();
  const { body } = await request<{ lastRunId: string }>(`GET /integrations/connections/${objects.connectionId}`, {
    token,
  });
  runId = body.lastRunId;
});

async function ask(token: string) {
  const variables = {
    template: objects.templateId,
    execution: objects.executionId,
    run: runId,
    connection: objects.connectionId,
    user: objects.userId,
    role: objects.roleId,
    message: objects.messageId,
  };
  return (await graphql<Answer>(document, { token, variables })).body;
}

describe("a field with another object's id", () => {
  it("has the object beside it, from the same subgraph and from another one", async () => {
    const { data, errors } = await ask(await tenant.tokenWith());
    expect(errors).toBeUndefined();
    const { templateId, providerId, connectionId, clientId } = objects;
    const { tenantId } = tenant;
    expect(data).toEqual({
      execution: {
        ...{ templateId, template: { templateId, name: expect.any(String) } },
        templateVersion: { semanticVersion: expect.any(String) },
      },
      connection: {
        ...{ providerId, provider: { providerId, key: expect.any(String) } },
        lastRun: { operation: "VerifyConnection" },
        ...{ tenantId, tenant: { tenantId, slug: expect.any(String) } },
      },
      run: { connectionId, connection: { connectionId, displayName: expect.any(String) } },
      user: { tenant: { name: expect.any(String) } },
      roleAssignments: {
        items: [{ principal: { id: clientId, status: "Active" }, user: null, role: { code: expect.any(String) } }],
      },
      webhookMessage: {
        subscription: { eventType: "TemplateRegistered" },
        attempts: [{ message: { status: "Delivered" } }],
      },
    });
  });

  it("has null and an error at its path for a caller without the object's scope", async () => {
    const { data, errors = [] } = await ask(
      await tenant.tokenWith("templates.execute", "integration.connections.read"),
    );
    const refused = [
      "/execution/template",
      "/execution/templateVersion",
      "/connection/provider",
      "/connection/lastRun",
    ];
    const roots = ["/run", "/user", "/roleAssignments", "/webhookMessage"];
    expect(errors.map(({ path = [], extensions }) => `${extensions.code} /${path.join("/")}`).sort()).toEqual(
      [...refused, ...roots].map((path) => `INSUFFICIENT_SCOPE ${path}`).sort(),
    );
    expect(data).toMatchObject({
      execution: { templateId: objects.templateId, template: null, templateVersion: null },
      connection: {
        providerId: objects.providerId,
        provider: null,
        lastRun: null,
        tenant: { tenantId: tenant.tenantId },
      },
    });
  });

  it("has null alone where the object is gone", async () => {
    const token = await tenant.tokenWith();
    const gone = await request(`DELETE /integrations/connections/${objects.connectionId}`, { token });
    expect(gone.status).toBeLessThan(300);
    const query = `query ($run: ID!) { run(runId: $run) { connectionId connection { displayName } } }`;
    const { body } = await graphql<Answer>(query, { token, variables: { run: runId } });
    expect(body).toEqual({ data: { run: { connectionId: objects.connectionId, connection: null } } });
  });

  it("has null alone where another subgraph's object is gone, and an error without its scope", async () => {
    const token = await tenant.tokenWith();
    const subscribed = await request<{ subscriptionId: string }>("POST /webhooks/subscriptions", {
      token,
      body: {
        ...{ eventType: "NotificationRequested", endpointUrl: "http://127.0.0.1:9/hooks" },
        signingSecretRef: "linked-hooks",
      },
    });
    const { subscriptionId } = subscribed.body;
    const notification = { channel: "Webhook", recipient: { subscriptionId }, title: "News", body: "It has arrived." };
    const sent = await request<{ notificationId: string }>("POST /v1/notifications", { token, body: notification });
    expect([subscribed.status, sent.status]).toEqual([201, 202]);
    const query = `query ($id: ID!) { notification(notificationId: $id) {
      recipient { subscriptionId subscription { eventType } } } }`;
    const read = async (by: string) =>
      (await graphql(query, { token: by, variables: { id: sent.body.notificationId } })).body;
    const recipient = (subscription: object | null) => ({
      notification: { recipient: { subscriptionId, subscription } },
    });
    expect(await read(token)).toEqual({ data: recipient({ eventType: "NotificationRequested" }) });
    const refused = await read(await tenant.tokenWith("notification.read", "notification.send"));
    expect(refused.data).toEqual(recipient(null));
    expect(refused.errors).toMatchObject([
      { path: ["notification", "recipient", "subscription"], extensions: { code: "INSUFFICIENT_SCOPE" } },
    ]);
    const gone = await request(`DELETE /webhooks/subscriptions/${subscriptionId}`, { token });
    expect(gone.status).toBeLessThan(300);
    expect(await read(token)).toEqual({ data: recipient(null) });
  });
});
