import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { trackedFilesIn } from "@factory/runtime/subgraph/tracked-files.fixture";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type EventType, eventTypes, platformEventTypes } from "@factory/schema/event-names";
import { exampleEvent } from "@factory/schema/example-message";
import { UsageDefinition } from "@factory/schema/proto/generated/factory/spine/v1/usage";
import { vendorEventTypes } from "@factory/schema/vendor-event-types";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { aPendingApproval } from "../kit/agents.js";
import { letADayPass } from "../kit/audit.js";
import { sentCommand } from "../kit/commands.js";
import { anEntry } from "../kit/configuration.js";
import { aConnection, aReauthorizedConnection } from "../kit/connections.js";
import { aCredential, aFailedRotation, anExpiredCredential, rotatedCredential } from "../kit/credentials.js";
import { rows } from "../kit/database.js";
import { scannedSet } from "../kit/dependency-scans.js";
import { anEdition, anEditionWithTrial } from "../kit/editions.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aFlag } from "../kit/feature-flags.js";
import { aFeed } from "../kit/feed.js";
import { GrpcChannels } from "../kit/grpc-channels.js";
import { anInboundSource, asSpecified } from "../kit/inbound-sources.js";
import { aLibrary, aRetiredVersion } from "../kit/libraries.js";
import { invokeModels } from "../kit/models.js";
import { aNotification, aNotificationTemplate } from "../kit/notifications.js";
import { changeOwnSecurity } from "../kit/own-security.js";
import { moveMoney } from "../kit/payments.js";
import { aPerson } from "../kit/people.js";
import { aPlanSubscriptionId, reportedOfPayment, type TestPlanSubscription } from "../kit/plan-subscriptions.js";
import { changeProtectedSetting } from "../kit/protected-settings.js";
import { aProvider, aRetiredProvider, movedProvider } from "../kit/providers.js";
import { movePullRequests } from "../kit/pull-requests.js";
import { aReceiver, type Receiver } from "../kit/receiver.js";
import { aQueuedReportRun, aReportRun } from "../kit/reports.js";
import { graphql, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { aDelivery, aFailedRun } from "../kit/runs.js";
import { aPasswordClient, postForm, refreshed, signedIn } from "../kit/sign-ins.js";
import { aSilentHost } from "../kit/silent-host.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, moved, platformToken, type TestTenant } from "../kit/tenants.js";
import { aUsedToolServer } from "../kit/tool-server.js";
import { anInvitation, aUser } from "../kit/users.js";
import { aVendor, type Vendor } from "../kit/vendor.js";
import { sendMail } from "../kit/vendor-commands.js";
import { fromGithub } from "../kit/vendor-senders.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "schema/events");
const isEventType = (name: string): name is EventType => Object.hasOwn(eventTypes, name);

/** The event types that this release emits, read from the files which record events. */
function emittedTypes(): EventType[] {
  const files = ["catalog", "integration", "spine"].flatMap((subgraph) => {
    const source = join(root, "subgraphs", subgraph, "src");
    return trackedFilesIn(source).map((file) => join(source, file));
  });
  const recording = files
    .filter((file) => file.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .filter((text) => /\brecord\(\s*\{/.test(text));
  const typeNames = recording.flatMap((text) => [...text.matchAll(/"([A-Z]\w+)"/g)].map(([, name = ""]) => name));
  return [...new Set(typeNames.filter(isEventType))].sort();
}

/** Their events have the schema VendorEventReceived. */
const ofVendors: ReadonlySet<string> = new Set(vendorEventTypes);

const schemaFiles = trackedFilesIn(folder).filter((file) => file.endsWith(".schema.json"));
const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>(
  schemaFiles.map((file) => [file.replace(".schema.json", ""), ajv.compile(readSchema(file))]),
);

function readSchema(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as Record<string, unknown>;
}

function problems(name: string, value: unknown): unknown[] {
  const validate = validators.get(ofVendors.has(name) ? "VendorEventReceived" : name);
  if (!validate) return [`no schema for ${name}`];
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => [name, instancePath, message]);
}

/** Events that a token in the platform's own tenant receives. */
const ofThePlatform: readonly EventType[] = ["EditionUpdated", "SigningKeyRotated"];
/**
 * Events that need hours of failures or a provisioning step that finally fails, so that a request cannot cause them.
 */
const beyondATest: readonly EventType[] = [
  ...(["MailFailed", "TenantProvisioningFailed"] as const),
  ...(["WebhookDeliveryExhausted", "WebhookDeliveryFailing", "WebhookDeliveryRecovered"] as const),
  // An attempt would have to take minutes.
  "RunTimedOut",
  // No channel in this release confirms an arrival.
  "NotificationDelivered",
];
/** Events that only platform administrators read, in the platform tenant's log. */
const inTheLogOnly: readonly EventType[] = [
  "TenantRegistered",
  "TenantProvisioningStarted",
  "TenantProvisioned",
  "TenantSuspended",
  "TenantResumed",
  "TenantArchived",
  "TenantLimitsUpdated",
];

const unreadable = [...inTheLogOnly, ...beyondATest, ...ofThePlatform];

interface ReceivedEvent {
  events: { eventId: string; type: string; data: unknown };
}

/** The keyed type for a subject's first segment, with a field beside the key that is never null. */
const keyedTypes: Readonly<Record<string, readonly [type: string, field: string]>> = {
  approvals: ["Approval", "agentTaskId"],
  clients: ["ApiClient", "createdAt"],
  "compatibility-matrices": ["CompatibilityMatrix", "runtime"],
  connections: ["Connection", "displayName"],
  credentials: ["Credential", "createdAt"],
  deliveries: ["WebhookDelivery", "eventName"],
  "dependency-scans": ["DependencyScan", "packageCount"],
  executions: ["Execution", "status"],
  invitations: ["Invitation", "email"],
  libraries: ["Library", "packageName"],
  notifications: ["Notification", "status"],
  providers: ["Provider", "displayName"],
  roles: ["Role", "code"],
  runs: ["Run", "operation"],
  subscriptions: ["PlanSubscription", "status"],
  "report-runs": ["ReportRun", "status"],
  "template-versions": ["TemplateVersion", "semanticVersion"],
  templates: ["Template", "name"],
  tenants: ["Tenant", "slug"],
  users: ["User", "email"],
  "webhook-subscriptions": ["WebhookSubscription", "createdAt"],
};
/** The first segments of subjects whose objects have no key. The field `subject` is null for them. */
const noKeyedType = [
  ...["audit-seals", "commands", "config", "editions", "entitlements", "feature-flags", "mails"],
  ...["notification-templates", "signing-keys"],
];

interface Subject {
  events: { type: EventType; subjectPath: string; subject: Readonly<Record<string, unknown>> | null };
}

const selections = Object.values(keyedTypes).map(([type, field]) => `... on ${type} { about${type}: ${field} }`);
const subjectsQuery = `subscription { events(after: "0") { type subjectPath subject { __typename ${selections.join(" ")} } } }`;

const resourceOf = ({ events }: Subject) => events.subjectPath.split("/")[0] ?? "";

/** The subject's keyed type, or a text that tells what is missing. */
function subjectType(event: Subject): string {
  const [type = "nothing"] = keyedTypes[resourceOf(event)] ?? [];
  const { subject } = event.events;
  return subject?.["__typename"] === type && subject[`about${type}`] != null ? type : `no ${type}`;
}

interface Emitted {
  type: string;
  data: unknown;
}

/** All published events in a tenant's logs: its own log and the log for platform administrators. */
async function logged(tenantId: string): Promise<Emitted[]> {
  const records = await rows<{ envelope: Emitted }>(
    `select envelope from integration.event_log
     where tenant_id = any($1) and envelope->>'tenantid' = $2 order by position`,
    [[tenantId, platformTenantId].map((id) => decodeId("ten", id)), tenantId],
  );
  return records.map(({ envelope }) => envelope);
}

/** Publishes and deprecates a template version. */
async function publishAndDeprecate(token: string, templateVersionId: string): Promise<void> {
  const id = `templateVersionId: "${templateVersionId}"`;
  await graphql(`mutation { publishTemplateVersion(${id}) { status } }`, { token });
  await graphql(`mutation { deprecateTemplateVersion(${id}, input: { reason: Other }) { status } }`, { token });
}

/** Changes a template and its Draft, deletes the Draft, and archives and restores the template. */
async function changeATemplate(token: string): Promise<void> {
  const { templateId, templateVersionId } = await aTemplateVersion(token, await aTemplateSource());
  const [template, draft] = [`templateId: "${templateId}"`, `templateVersionId: "${templateVersionId}"`];
  const input = `{ semanticVersion: "1.0.1", sourceRef: "stored://nowhere", engineKind: DotnetNewTemplatePack,
    targetFramework: "net8.0" }`;
  for (const change of [
    `updateTemplate(${template}, input: { title: "Changed" }) { status }`,
    `replaceTemplateVersion(${draft}, input: ${input}) { status }`,
    `deleteTemplateVersion(${draft}) { status }`,
    `archiveTemplate(${template}) { status }`,
    `restoreTemplate(${template}) { status }`,
  ])
    await graphql(`mutation { ${change} }`, { token });
}

/** Imports and deletes an advisory, and scans a set of libraries. */
async function scanDependencies(token: string): Promise<void> {
  const advisory = '{ id: "WALK-1", modified: "2026-01-31T12:00:00Z" }';
  await graphql(`mutation { importAdvisories(input: { documents: [${advisory}] }) { imported } }`, { token });
  await graphql('mutation { deleteAdvisories(input: { advisoryIds: ["WALK-1"] }) { deleted } }', { token });
  await scannedSet(token);
}

/** Requests an execution and cancels it while it fetches its source. */
async function cancelAnExecution(token: string): Promise<void> {
  const host = await aSilentHost();
  const { templateId, templateVersionId } = await aTemplateVersion(token, `git+${host.url}/acme/never.git#main`);
  const body = { templateVersionId, target: { repository: "acme/never" } };
  const { executionId } = (
    await request<{ executionId: string }>(`POST /v1/templates/${templateId}/execute`, { token, body })
  ).body;
  await graphql(`mutation { cancelExecution(executionId: "${executionId}") { status } }`, {
    token,
  });
  host.close();
}

async function aChangedApiClient(token: string): Promise<void> {
  const input = '{ name: "more", scopes: ["templates.read"] }';
  const { body } = await graphql<{ made: { clientId: string } }>(
    `mutation { made: createApiClient(input: ${input}) { clientId } }`,
    { token },
  );
  const id = `clientId: "${body.data.made.clientId}"`;
  const changes = [
    `updateApiClient(${id}, input: { name: "most" })`,
    `rotateApiClientSecret(${id})`,
    `disableApiClient(${id})`,
    `enableApiClient(${id})`,
  ];
  for (const change of changes) await graphql(`mutation { ${change} { clientId } }`, { token });
}

/** Creates a role, assigns it to a client, changes it and deletes it. */
async function assignARole(token: string): Promise<void> {
  const roleId = await aRole(token);
  const body = { principalId: await aClientId(token) };
  await request(`POST /v1/roles/${roleId}/assignments`, { token, body });
  await graphql(`mutation { updateRole(roleId: "${roleId}", input: { name: "more" }) { roleId } }`, { token });
  await graphql(`mutation { deleteRole(roleId: "${roleId}") { roleId } }`, { token });
}

/** Requests two approvals: one is granted and one is rejected. */
async function decideApprovals(token: string, tenantId: string): Promise<void> {
  for (const decision of ["approve", "reject"])
    await request(`POST /v1/approvals/${await aPendingApproval(tenantId)}/${decision}`, { token, body: {} });
}

/**
 * Causes the events about invitations (invited, resent, revoked, expired) and users (registered, disabled, enabled,
 * deleted).
 */
async function inviteAndDeleteUsers(token: string, tenantId: string): Promise<void> {
  const [revokedInvitation, resent, expiredInvitation] = [
    await anInvitation(token),
    await anInvitation(token),
    await anInvitation(token),
  ];
  await request(`POST /v1/users/invitations/${revokedInvitation.invitationId}/revoke`, { token });
  await request(`POST /v1/users/invitations/${resent.invitationId}/resend`, { token });
  await rows("update spine.invitations set expires_at = now() where tenant_id = $1 and invitation_id = $2", [
    decodeId("ten", tenantId),
    decodeId("inv", expiredInvitation.invitationId),
  ]);
  const body = { email: expiredInvitation.email, roleCodes: ["Viewer"] };
  await request("POST /v1/users/invitations", { token, body });
  const { userId } = await aUser(token, ["Viewer"]);
  for (const move of ["disable", "enable"]) await request(`POST /v1/users/${userId}/${move}`, { token });
  await graphql(`mutation { deleteUser(userId: "${userId}") { status } }`, { token });
}

/** Causes the events about notifications: requested, sent, read, and refused by its recipient. */
async function notifyUsers(token: string): Promise<void> {
  const notificationId = await aNotification(token);
  await request(`POST /v1/notifications/${notificationId}/read`, { token });
  const { userId: recipientUserId } = await aUser(token);
  const preferences = [{ channel: "InApp", category: "*", enabled: false }];
  await request("PUT /v1/notifications/preferences", { token, body: { recipientUserId, preferences } });
  await aNotification(token, recipientUserId);
}

/** Causes each event about a plan subscription but the trial's, which provisioning begins. */
async function changePlanSubscription(token: string, tenantId: string): Promise<void> {
  const id = await aPlanSubscriptionId(token);
  const tenant = decodeId("ten", tenantId);
  const due = (columns: string) =>
    rows(`update spine.plan_subscriptions set ${columns}, next_change_at = now() where tenant_id = $1`, [tenant]);
  const statusOf = async () =>
    (await request<TestPlanSubscription>(`GET /v1/subscriptions/${id}`, { token })).body.status;
  const becomes = (status: string) =>
    eventually(`the plan subscription is ${status}`, async () => (await statusOf()) === status);
  const activate = () => request(`POST /v1/subscriptions/${id}/activate`, { token, body: {} });
  await activate();
  await due("current_period_end = now()");
  await reportedOfPayment("reportPaymentFailure", { tenantId, planSubscriptionId: id });
  await due("past_due_since = now() - interval '7 days'");
  await becomes("Suspended");
  await request(`POST /v1/subscriptions/${id}/cancel`, { token, body: { atPeriodEnd: false } });
  await due("status = 'Trialing', trial_ends_at = now(), cancel_at = null");
  await becomes("Expired");
  await activate();
}

/** Causes the events about credentials. */
async function changeCredentials(token: string): Promise<void> {
  const move = (field: string, id: string) =>
    graphql(`mutation { ${field}(credentialId: "${id}") { status } }`, { token });
  const { credentialId } = await rotatedCredential(token);
  await move("rollbackCredential", credentialId);
  await move("revokeCredential", credentialId);
  await aFailedRotation(token);
  await anExpiredCredential(token);
  const { credentialId: waiting } = await aCredential(token, { kind: "ApiKey", secret: { apiKey: "first" } });
  await request("POST /integrations/credentials/rotate", { token, body: { credentialId: waiting } });
}

/** Causes the events about connections that a caller can cause. */
async function changeConnections(token: string): Promise<void> {
  const providerId = await aProvider(token, { key: "events" });
  const connection = await aConnection(token, providerId);
  await aConnection(token, providerId);
  for (const move of ["suspend", "resume"])
    await request(`POST /integrations/connections/${connection}/${move}`, { token, body: {} });
  await request(`DELETE /integrations/connections/${connection}`, { token });
  await movedProvider(token, "disableProvider", providerId);
  await aReauthorizedConnection(token);
}

/** Causes the events about webhook subscriptions that a caller can cause. */
async function changeSubscriptions(token: string): Promise<void> {
  const body = { eventType: "RoleCreated", endpointUrl: "http://127.0.0.1:9/hooks", signingSecretRef: "events" };
  const subscription = await request<{ subscriptionId: string }>("POST /webhooks/subscriptions", { token, body });
  const path = `/webhooks/subscriptions/${subscription.body.subscriptionId}`;
  for (const move of ["pause", "resume"]) await request(`POST ${path}/${move}`, { token });
  await request(`DELETE ${path}`, { token });
}

/** Sends a delivery as GitHub does. */
async function sendADelivery(token: string): Promise<void> {
  const post = (path: string, body: unknown) => request<Record<string, string>>(`POST ${path}`, { token, body });
  const [name, secret] = ["inbound-events", "secret-of-a-vendor"];
  const provider = { key: "events-github", preset: "github", displayName: "GitHub", category: "SourceControl" };
  const { providerId } = (await post("/integrations/providers", { ...provider, authModel: "ApiKey" })).body;
  await post("/integrations/credentials", { name, kind: "VendorWebhookSecret", secret: { secret } });
  const inbound = { direction: "Inbound", providerId, signingSecretRef: `secret://${name}` };
  const { pathname, search } = new URL((await post("/webhooks/subscriptions", inbound)).body["deliveryUrl"] ?? "");
  const { status, text } = await request(`POST ${pathname}${search}`, fromGithub(secret, "events", "push", {}));
  if (status !== 202) throw new Error(text);
}

/** Makes the vendor's server give a token to one connection, and refuse another one's client. */
async function renewTokens(token: string): Promise<Vendor> {
  const vendor = await aVendor();
  const { basic, tokenUrl } = vendor.oauth;
  const driver = { oauth2: { tokenUrl, clientAuthentication: "client_secret_basic", scopes: ["api"] } };
  const providerId = await aProvider(token, { key: "tokens", driver });
  for (const clientSecret of [basic.clientSecret, "wrong"]) {
    const secret = { clientId: basic.clientId, clientSecret };
    const { credentialRef } = await aCredential(token, { kind: "OAuth2Client", secret });
    await aConnection(token, providerId, { authMode: "OAuth2ClientCredentials", credentialRef });
  }
  return vendor;
}

const statesOf = (tenantId: string) =>
  rows<{ status: string }>("select status from integration.webhook_deliveries where tenant_id = $1", [
    decodeId("ten", tenantId),
  ]);

/** Causes the events about runs that fail, and about deliveries that are handled, ignored and given up. */
async function handleDeliveries(token: string, tenantId: string): Promise<void> {
  await aFailedRun(tenantId);
  const providerId = await aProvider(token, { key: "deliveries" });
  await sendADelivery(token);
  await aDelivery(tenantId, { providerId });
  const delivery = { providerDeliveryId: "one", eventName: "widget.created", payload: {} };
  await request("POST /webhooks/deliveries", asSpecified(await anInboundSource(token), delivery));
  await aDelivery(tenantId, { providerId, status: "Failed", attempts: 4, unreadable: true });
  const count = async (expectedStatus: string) =>
    (await statesOf(tenantId)).filter(({ status }) => status === expectedStatus).length;
  await eventually("the deliveries are handled", async () => (await count("Processed")) === 3);
  await request("PUT /v1/config/webhooks.unmappedDeliveries", { token, body: { value: "ignore" } });
  await eventually("deliveries without a mapping are ignored", async () => {
    await aDelivery(tenantId, { providerId });
    return (await count("Ignored")) > 0;
  });
}

/** Causes the events about report runs. A run fails while another run's content seems to take all the room. */
async function generateReports(token: string, tenantId: string): Promise<void> {
  const { reportRunId } = await aReportRun(token);
  const id = decodeId("run", reportRunId);
  await rows("update spine.report_runs set size_bytes = $2 where run_id = $1", [id, 2 * 1024 ** 3 - 1]);
  await aReportRun(token);
  await request(`POST /v1/reports/runs/${reportRunId}/expire`, { token });
  await request(`POST /v1/reports/runs/${await aQueuedReportRun(tenantId)}/cancel`, { token });
}

/** Causes a failed sign-in, a reused refresh token and a revoked access token. */
async function signInAndRevoke(tenant: TestTenant): Promise<void> {
  const client = await aPasswordClient(tenant.tenantId);
  const person = await aPerson(tenant);
  await signedIn(client, { ...person, password: "wrong horse battery" });
  const { access_token: token, refresh_token: refreshToken } = await signedIn(client, person);
  await postForm("/connect/revocation", client, { token });
  const { refresh_token: successor } = await refreshed(client, refreshToken);
  for (const usedToken of [successor, refreshToken]) await refreshed(client, usedToken);
}

/** Consumes the executions that are left for this month, as the catalog does for an execution. */
async function useUpExecutions(token: string, tenantId: string): Promise<void> {
  const channels = new GrpcChannels();
  const { body } = await graphql<{ entitlements: { items: { featureKey: string; remaining: number }[] } }>(
    "{ entitlements { items { featureKey remaining } } }",
    { token },
  );
  const featureKey = "executions.monthly";
  const amount = body.data.entitlements.items.find((item) => item.featureKey === featureKey)?.remaining;
  const usage = (await channels.as("catalog")).client(UsageDefinition);
  await usage.consume({ tenantId, featureKey, amount: amount ?? 0, idempotencyKey: "the-rest" });
  channels.close();
}

describe("schema/events", () => {
  it("has exactly one schema for each event of this release", () => {
    const schemaNames = schemaFiles
      .map((file) => file.replace(".schema.json", ""))
      .filter((name) => name !== "envelope");
    expect(schemaNames.sort()).toEqual(emittedTypes());
  });

  it("has every name of the contract", () => {
    const emittedNames = new Set<string>(emittedTypes());
    expect(Object.keys(platformEventTypes).filter((name) => !emittedNames.has(name))).toEqual([]);
  });

  it("describes each event in its schema", () => {
    for (const file of schemaFiles) {
      const schema = readSchema(file);
      expect(schema).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `https://factory.platform/events/${file}`,
        description: expect.any(String),
        type: "object",
      });
      expect(schema).not.toHaveProperty("additionalProperties");
      expect(schema["required"]).not.toEqual([]);
    }
  });

  it("lists each event in the catalogue, with its producer", () => {
    const catalogue = readFileSync(join(folder, "catalogue.md"), "utf8");
    const catalogueRows = [...catalogue.matchAll(/^\| ([A-Z]\w+) \| ([a-z]+) \| .+ \|$/gm)];
    const producers = Object.fromEntries(catalogueRows.map(([, type, producer]) => [type, producer]));
    expect(catalogueRows).toHaveLength(Object.keys(producers).length);
    expect(producers).toEqual(Object.fromEntries(emittedTypes().map((type) => [type, eventTypes[type].source])));
  });
});

describe("the emitted events", () => {
  let messages: Emitted[];
  let inTheLog: Emitted[];
  let receiver: Receiver;
  let subjects: readonly Subject[];
  let subjectErrors: readonly unknown[];

  beforeAll(async () => {
    const tenant = await aTenant(await anEditionWithTrial());
    const token = await tenant.tokenWith();
    receiver = await aReceiver(() => 204);
    const goneReceiver = await aReceiver(() => 410);
    const feed = await aFeed<ReceivedEvent>({
      token,
      query: 'subscription { events(after: "0") { eventId type data } }',
    });
    const post = (path: string, body: unknown) => request(`POST ${path}`, { token, body });
    const subscribe = (eventType: string, endpointUrl: string) =>
      post("/webhooks/subscriptions", { eventType, endpointUrl, signingSecretRef: "events" });
    const readable = emittedTypes().filter((type) => !unreadable.includes(type));
    for (const type of readable) await subscribe(type, receiver.url);
    await subscribe("TemplateRegistered", goneReceiver.url);
    await aRetiredProvider(token);
    await changeCredentials(token);
    await changeConnections(token);
    await changeSubscriptions(token);
    const vendor = await renewTokens(token);
    const { connectionId, definitionHash } = await aUsedToolServer(token);
    await post(`/integrations/connections/${connectionId}/tools/accept`, { toolName: "works", definitionHash });
    await handleDeliveries(token, tenant.tenantId);
    const closeMailVendors = await sendMail(token, tenant.tenantId);
    const closePaymentVendor = await moveMoney(token, tenant.tenantId);
    await invokeModels(token);
    await notifyUsers(token);
    await inviteAndDeleteUsers(token, tenant.tenantId);
    const libraryId = await aLibrary(token, {
      capabilities: [{ name: "a.b" }],
      versions: [{ semanticVersion: "1.0.0" }],
    });
    const capabilityChange = `libraryId: "${libraryId}", input: { set: [{ name: "c.d" }] }`;
    await graphql(`mutation { changeLibraryCapabilities(${capabilityChange}) { libraryId } }`, { token });
    await aRetiredVersion(token, libraryId);
    await post("/v1/libraries/compatibility/evaluate", { runtime: "net8.0", libraries: [] });
    await scanDependencies(token);
    const version = await aTemplateVersion(token, await aTemplateSource());
    await post(`/v1/templates/${version.templateId}/validate`, { templateVersionId: version.templateVersionId });
    await executed(token, version, { target: { repository: "acme/events" } });
    await movePullRequests(token, version);
    await publishAndDeprecate(token, version.templateVersionId);
    await changeATemplate(token);
    const brokenVersion = await aTemplateVersion(token, "stored://nowhere");
    await executed(token, brokenVersion, { target: { repository: "acme/events" } });
    await cancelAnExecution(token);
    await sentCommand(tenant.tenantId, "RetireLibraryVersion", {});
    await sentCommand(tenant.tenantId, "RenewSubscription", {});
    await aChangedApiClient(token);
    await assignARole(token);
    await anEntry(token, "told");
    await aNotificationTemplate(token, "told");
    await request("DELETE /v1/notification-templates/told", { token });
    await aFlag(token, "told", { rules: [{ attribute: "country", operator: "IN", values: ["CH"] }] });
    await decideApprovals(token, tenant.tenantId);
    await changeProtectedSetting(tenant);
    await generateReports(token, tenant.tenantId);
    await signInAndRevoke(tenant);
    await changeOwnSecurity(tenant);
    await useUpExecutions(token, tenant.tenantId);
    await changePlanSubscription(token, tenant.tenantId);
    await letADayPass(tenant.tenantId);
    const missing = () => {
      const arrivedTypes = new Set(feed.events.map(({ events }) => events.type));
      return readable.filter((type) => !arrivedTypes.has(type));
    };
    const arrival = eventually("every readable event arrives", () => missing().length === 0);
    await arrival.catch((error: Error) => Promise.reject(new Error(`${error.message}: ${missing().join(", ")}`)));
    const about = await aFeed<Subject>({ token, query: subjectsQuery });
    await eventually("every event arrives with its subject", () => about.events.length >= feed.events.length);
    [subjects, subjectErrors] = [[...about.events], [...about.errors]];
    await graphql(
      `mutation { setTenantLimits(tenantId: "${tenant.tenantId}", input: { rateLimitFactor: 2 }) { tenantId } }`,
      { token: await platformToken() },
    );
    for (const move of ["suspendTenant", "resumeTenant", "archiveTenant"] as const) await moved(tenant, move);
    await eventually("the events of the tenant are in its log", async () => {
      inTheLog = await logged(tenant.tenantId);
      return inTheLog.some(({ type }) => type === "TenantArchived");
    });
    messages = [...feed.events.map(({ events }) => events), ...inTheLog];
    await Promise.all([
      feed.stop(),
      about.stop(),
      goneReceiver.close(),
      vendor.close(),
      closeMailVendors(),
      closePaymentVendor(),
    ]);
  });

  afterAll(() => receiver.close());

  it("include every event of this release", () => {
    const types = new Set(messages.map(({ type }) => type));
    expect(emittedTypes().filter((type) => !types.has(type))).toEqual([...beyondATest, ...ofThePlatform].sort());
  });

  it("have a subject: an object of a keyed type while it exists, and null afterwards", () => {
    const resources = new Set(subjects.map(resourceOf));
    expect([...resources].filter((resource) => !keyedTypes[resource] && !noKeyedType.includes(resource))).toEqual([]);
    expect(Object.keys(keyedTypes).filter((resource) => !resources.has(resource))).toEqual([]);
    expect(subjectErrors).toEqual([]);
    const deletionTypes = new Set([
      "RoleDeleted",
      "ConnectionDeleted",
      "TemplateVersionDeleted",
      "WebhookSubscriptionDeleted",
    ]);
    const deletedSubjects = subjects
      .filter(({ events }) => deletionTypes.has(events.type))
      .map(({ events }) => events.subjectPath);
    const isGone = ({ events }: Subject) =>
      deletedSubjects.some((path) => `${events.subjectPath}/`.startsWith(`${path}/`));
    const ofRoles = subjects.filter((candidate) => isGone(candidate) && resourceOf(candidate) === "roles");
    expect(subjects.filter((candidate) => isGone(candidate) && candidate.events.subject !== null)).toEqual([]);
    expect(ofRoles.map(({ events }) => [events.type, events.subject])).toEqual([
      ["RoleCreated", null],
      ["RoleAssigned", null],
      ["RoleUpdated", null],
      ["RoleUnassigned", null],
      ["RoleDeleted", null],
    ]);
    for (const event of subjects.filter((candidate) => !isGone(candidate))) {
      const [type] = keyedTypes[resourceOf(event)] ?? [];
      if (type === undefined) expect(event.events).toMatchObject({ subject: null });
      else expect(`${event.events.type}: ${subjectType(event)}`).toBe(`${event.events.type}: ${type}`);
    }
  });

  it("have a subject of the kind that the example of their type has", () => {
    const kindOf = (path: string) => path.split("/").filter((_, place) => place % 2 === 0);
    const examples = subjects.map(({ events: { type } }) => [type, kindOf(exampleEvent(type)?.subject ?? "")]);
    expect(subjects.map(({ events: { type, subjectPath } }) => [type, kindOf(subjectPath)])).toEqual(examples);
  });

  it("match the schema of their type", () => {
    expect(messages.flatMap(({ type, data }) => problems(type, data))).toEqual([]);
  });

  it("are sent in the canonical envelope", async () => {
    const expectedTypes = emittedTypes().filter((type) => !unreadable.includes(type));
    // events from before the subscription are not sent
    const late = new Set(["CredentialCreated", "SubscriptionCreated", "SubscriptionTrialStarted"]);
    const awaitedTypes = expectedTypes.filter((type) => !late.has(type));
    const envelopes = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: unknown });
    await eventually("the webhooks arrive", () => {
      const types = new Set(envelopes().map(({ type }) => type));
      return awaitedTypes.every((type) => types.has(type));
    });
    expect([...envelopes(), ...inTheLog].flatMap((envelope) => problems("envelope", envelope))).toEqual([]);
    expect(envelopes().flatMap(({ type, data }) => problems(type, data))).toEqual([]);
  });

  it("also come from the platform's own tenant", async () => {
    const token = await platformToken();
    await graphql("mutation { rotateSigningKeys { keyId } }", { token });
    await anEdition(token);
    const query = `subscription { events(after: "0") { type data subjectPath subject { __typename ... on Tenant { aboutTenant: slug } } } }`;
    const feed = await aFeed<{ events: ReceivedEvent["events"] & Subject["events"] }>({ token, query });
    const eventOf = (type: string) => feed.events.find(({ events }) => events.type === type);
    await eventually(
      "the events of the registration, of the keys and of the edition arrive",
      () => !!(eventOf("TenantRegistered") && eventOf("SigningKeyRotated") && eventOf("EditionUpdated")),
    );
    expect(feed.events.flatMap(({ events: { type, data } }) => problems(type, data))).toEqual([]);
    expect(feed.errors).toEqual([]);
    expect(eventOf("TenantRegistered")?.events.subject).toMatchObject({
      __typename: "Tenant",
      aboutTenant: "platform",
    });
    expect(eventOf("SigningKeyRotated")?.events.subject).toBeNull();
    expect(eventOf("EditionUpdated")?.events.subject).toBeNull();
    await feed.stop();
  });

  it("of integration that a request cannot cause are awaited in its own tests", () => {
    const source = join(root, "subgraphs/integration/src");
    const files = trackedFilesIn(source).filter((file) => file.endsWith(".test.ts"));
    const texts = files.map((file) => readFileSync(join(source, file), "utf8"));
    const beyond = beyondATest.filter((type) => eventTypes[type].source === "integration");
    expect(beyond.filter((type) => !texts.some((text) => text.includes(`"${type}"`)))).toEqual([]);
  });

  it.each(beyondATest)("include %s, as its producer writes it", (type) => {
    expect(problems(type, samples[type])).toEqual([]);
    expect(problems(type, {})).not.toEqual([]);
  });
});

const anId = (prefix: string) => `${prefix}_01m7yggj8ve1br8wyj6k2wjn4d`;

const samples: Partial<Record<EventType, unknown>> = {
  MailFailed: {
    tenantId: anId("ten"),
    mailId: anId("msg"),
    kind: "invitation",
    about: anId("inv"),
    reason: "The mail server did not take it: EENVELOPE 550",
  },
  NotificationDelivered: {
    tenantId: anId("ten"),
    messageId: anId("ntm"),
    notificationId: anId("ntf"),
    channel: "Email",
    category: "general",
    recipientUserId: null,
    deliveredAt: "2026-01-05T10:00:00.000Z",
  },
  TenantProvisioningFailed: {
    tenantId: anId("ten"),
    runId: anId("run"),
    status: "ProvisioningFailed",
    failedStep: "createPlanSubscription",
  },
  RunTimedOut: {
    runId: anId("run"),
    operation: "CheckHealth",
    connectionId: anId("con"),
    credentialId: null,
    attempts: 1,
    error: { code: "UPSTREAM_TIMEOUT", detail: "The attempt took too long." },
  },
  WebhookDeliveryFailing: {
    subscriptionId: anId("whs"),
    messageId: anId("msg"),
    eventId: anId("evt"),
    eventType: "TemplateRegistered",
    failure: "HttpStatus",
    statusCode: 500,
    attempts: 4,
    failingSince: "2026-01-05T10:00:00.000Z",
  },
  WebhookDeliveryRecovered: {
    subscriptionId: anId("whs"),
    messageId: anId("msg"),
    eventId: anId("evt"),
    eventType: "TemplateRegistered",
    failingSince: "2026-01-05T10:00:00.000Z",
  },
  WebhookDeliveryExhausted: {
    subscriptionId: anId("whs"),
    messageId: anId("msg"),
    eventId: anId("evt"),
    eventType: "TemplateRegistered",
    failure: "HttpStatus",
    statusCode: 500,
  },
};
