import { cloneOf } from "../kit/clone.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aReceiver, type Received, signatureOf } from "../kit/receiver.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion, finished } from "../kit/templates.js";
import { aTenant } from "../kit/tenants.js";

const completion = ["ScaffoldGenerated", "TemplateExecuted"];

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly tenantid: string;
  readonly sequence: string;
  readonly data: Record<string, unknown>;
}

const envelopeOf = ({ body }: Received) => JSON.parse(body) as Envelope;

describe("the main use case", () => {
  it("leads from a registered template to a generated project, with its events and its webhooks", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith();
    const receiver = await aReceiver();
    let secret = "";
    for (const eventType of completion) {
      const body = { eventType, endpointUrl: receiver.url, signingSecretRef: "main-job" };
      const subscription = await request<{ signingSecret: string | null }>("POST /webhooks/subscriptions", {
        token,
        body,
      });
      expect(subscription.status).toBe(201);
      secret = subscription.body.signingSecret ?? secret;
    }
    const feed = await aFeed<{ events: { type: string; subject: { executionId: string; status: string } } }>({
      token,
      query: `subscription ($types: [String!]) { events(types: $types) { type subject { ... on Execution { executionId status } } } }`,
      variables: { types: completion },
    });
    const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
    const libraries = [{ packageName: "Polly", version: "8.4.2" }];
    await request("POST /v1/libraries", {
      token,
      body: { packageName: "Polly", versions: [{ semanticVersion: "8.4.2", targetFramework: "netstandard2.0" }] },
    });
    const evaluation = await request<{ compatible: boolean; violations: unknown[] }>(
      `POST /v1/templates/${templateId}/compatibility/evaluate`,
      { token, body: { templateVersionId, runtime: "net8.0", libraries } },
    );
    expect(evaluation.body).toMatchObject({ compatible: true, violations: [] });
    const validation = await request(`POST /v1/templates/${templateId}/validate`, {
      token,
      body: { templateVersionId, checks: ["StructuralLint", "SampleGeneration"] },
    });
    expect(validation.body).toMatchObject({ outcome: "Passed", findings: [] });

    const acceptance = await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, {
      token,
      body: {
        templateVersionId,
        parameters: { name: "Acme.Orders" },
        libraries,
        target: { repository: "acme/orders", branch: "main" },
        correlation: { agentTaskId: "task-1" },
      },
    });
    expect(acceptance.status).toBe(202);
    expect(acceptance.body).toMatchObject({ status: "Requested", scaffoldOutputId: null });
    const execution = await finished(token, templateId, acceptance.body.executionId);
    expect(execution).toMatchObject({ status: "Completed", phase: null, error: null });
    expect(execution.scaffoldOutputId).toMatch(/^sca_/);

    const clone = await cloneOf(execution.output?.repository ?? "", token);
    expect(clone.files).toContain("src/Acme.Orders/Acme.Orders.csproj");
    expect(clone.files).not.toContain("src/Acme.Orders/Data/OrderContext.cs");
    expect(clone.files.join()).not.toMatch(/template\.config|Company\.WebApi1/);
    expect(await clone.read("src/Acme.Orders/Acme.Orders.csproj")).toContain(
      '<PackageReference Include="Polly" Version="8.4.2" />',
    );
    expect(await clone.read("src/Acme.Orders/Program.cs")).toContain("using Acme.Orders.Endpoints;");
    expect(clone.commits).toHaveLength(1);
    expect(clone.commits[0]).toContain(`Execution-Id: ${execution.executionId}`);
    await clone.remove();

    await eventually("both webhooks arrive", () => receiver.received.length >= 2);
    expect(receiver.received.map((webhook) => envelopeOf(webhook).type).sort()).toEqual(completion);
    for (const webhook of receiver.received) {
      expect(webhook.headers["webhook-signature"]).toBe(signatureOf(secret, webhook));
      expect(webhook.headers["webhook-id"]).toBe(envelopeOf(webhook).id);
      expect(webhook.headers["svc-schema-version"]).toBe("1.0");
      expect(envelopeOf(webhook)).toMatchObject({
        tenantid: tenant.tenantId,
        data: { executionId: execution.executionId, agentTaskId: "task-1" },
      });
    }
    await eventually("both events arrive", () => feed.events.length >= 2);
    expect(feed.errors).toEqual([]);
    expect(feed.events.map(({ events }) => events.type)).toEqual(completion);
    expect(feed.events[0]?.events.subject).toEqual({ executionId: execution.executionId, status: "Completed" });
    await feed.stop();
    await receiver.close();
  });
});
