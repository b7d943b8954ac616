import { randomBytes, randomUUID } from "node:crypto";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aPendingApproval } from "./agents.js";
import { anEntry } from "./configuration.js";
import { aConnection } from "./connections.js";
import { rows } from "./database.js";
import { aScanId } from "./dependency-scans.js";
import { eventually } from "./eventually.js";
import { executed } from "./executions.js";
import { aFlag } from "./feature-flags.js";
import { aLibrary, versionMutation } from "./libraries.js";
import { aNotificationTemplate, aTemplateInput } from "./notifications.js";
import { aSignedInPerson } from "./own-sessions.js";
import { aPlanSubscriptionId } from "./plan-subscriptions.js";
import { aProvider } from "./providers.js";
import { aReportDefinitionId, aReportRunId, lastYear } from "./reports.js";
import { graphql, request } from "./request.js";
import { aClientId, aRole } from "./roles.js";
import { aDelivery } from "./runs.js";
import { aTemplateSource, aTemplateVersion } from "./templates.js";
import type { TestTenant } from "./tenants.js";
import { anHourAgo } from "./times.js";
import { anInvitation, aUser } from "./users.js";

/** One id for each kind, by the name that the path parameter or the argument has. */
export type TenantObjects = Readonly<Record<keyof typeof unknownIds, string>>;

/** Well-formed ids that do not exist. */
export const unknownIds = {
  templateId: newId("tpl"),
  templateVersionId: newId("tpv"),
  executionId: newId("exe"),
  scaffoldOutputId: newId("sca"),
  libraryId: newId("lib"),
  libraryVersionId: newId("lbv"),
  matrixId: newId("mtx"),
  dependencyScanId: newId("scn"),
  providerId: newId("prv"),
  connectionId: newId("con"),
  credentialId: newId("crd"),
  runId: newId("run"),
  deliveryId: newId("whd"),
  subscriptionId: newId("whs"),
  messageId: newId("msg"),
  clientId: newId("cli"),
  roleId: newId("rol"),
  assignmentId: newId("asg"),
  approvalId: newId("apr"),
  userId: newId("usr"),
  invitationId: newId("inv"),
  notificationId: newId("ntf"),
  planSubscriptionId: newId("sub"),
  reportDefinitionId: newId("rpd"),
  reportRunId: newId("run"),
  eventId: newId("evt"),
  jobId: randomUUID(),
  /** A feature flag, a configuration entry and a notification template have this key. */
  sessionId: randomBytes(32).toString("hex"),
  /** A feature flag and a configuration entry have this key. */
  key: "walked-unknown",
};

/** Texts that are not ids for any kind above: one in another form, and an id for a kind that no caller names. */
export const malformedIds = ["no-id", newId("apc")];

export type ObjectKind = keyof typeof unknownIds;

export const isObjectKind = (name: string): name is ObjectKind => Object.hasOwn(unknownIds, name);

/** Creates one object for each kind. */
export async function tenantObjects(tenant: TestTenant): Promise<TenantObjects> {
  const { tenantId } = tenant;
  const token = await tenant.tokenWith();
  const post = async (path: string, body: unknown) => {
    const answer = await request<Record<string, string>>(`POST ${path}`, { token, body });
    if (answer.status >= 300) throw new Error(`POST ${path} answered ${answer.text}`);
    return answer.body;
  };
  const version = await aTemplateVersion(token, await aTemplateSource());
  const { executionId, scaffoldOutputId } = await executed(token, version, { target: { repository: "acme/walked" } });
  await post(`/v1/templates/${version.templateId}/validate`, { templateVersionId: version.templateVersionId });
  const libraryId = await aLibrary(token);
  const libraryVersion = await versionMutation(
    token,
    `registerLibraryVersion(libraryId: "${libraryId}", input: { semanticVersion: "1.0.0" })`,
  );
  const { matrixId } = await post("/v1/libraries/compatibility/evaluate", { runtime: "net8.0", libraries: [] });
  const { credentialId } = await post("/integrations/credentials", { name: "walked", secret: { token: "x" } });
  const { subscriptionId } = await post("/webhooks/subscriptions", {
    eventType: "TemplateRegistered",
    endpointUrl: "http://127.0.0.1:9/hooks",
    signingSecretRef: "walked-hooks",
    active: false,
  });
  const providerId = await aProvider(token);
  const connectionId = await aConnection(token, providerId);
  const [roleId, clientId] = [await aRole(token), await aClientId(token)];
  const { assignmentId } = await post(`/v1/roles/${roleId}/assignments`, { principalId: clientId });
  const [{ userId }, { invitationId }] = [await aUser(token), await anInvitation(token)];
  const notice = { channel: "InApp", recipient: { userId }, body: "Walked." };
  const { notificationId } = await post("/v1/notifications", notice);
  const key = await aFlag(token, await anEntry(token, `walked-${tenantId}`));
  await aNotificationTemplate(token, key);
  const objects: Record<string, string | null | undefined> = {
    dependencyScanId: await aScanId(token, version.templateVersionId),
    ...{ ...version, executionId, scaffoldOutputId, libraryId, matrixId, credentialId, subscriptionId },
    ...{ libraryVersionId: String(libraryVersion["libraryVersionId"]), providerId, connectionId },
    ...{ userId, invitationId, notificationId, jobId: await aJobId(tenantId), eventId: await anEventId(tenantId), key },
    messageId: await anEndedMessage(subscriptionId),
    ...(await aDelivery(tenantId, { providerId, status: "Processed", unreadable: true })),
    planSubscriptionId: await aPlanSubscriptionId(token),
    ...{ reportDefinitionId: await aReportDefinitionId(token), reportRunId: await aReportRunId(token) },
    ...{ roleId, clientId, assignmentId, approvalId: await aPendingApproval(tenantId) },
    sessionId: (await aSignedInPerson(tenant)).sessionId,
  };
  const missing = Object.keys(unknownIds).filter((kind) => typeof objects[kind] !== "string");
  if (missing.length > 0) throw new Error(`No id came back of ${missing.join(", ")}`);
  return objects as TenantObjects;
}

/** An event's id from the tenant's log. */
async function anEventId(tenantId: string): Promise<string | undefined> {
  const statement = "select envelope->>'id' as id from integration.event_log where tenant_id = $1 limit 1";
  const readId = async () => (await rows<{ id: string }>(statement, [decodeId("ten", tenantId)]))[0]?.id;
  await eventually("the tenant has an event", async () => (await readId()) !== undefined);
  return readId();
}

/** A webhook message that was sent, and its attempt. */
async function anEndedMessage(subscriptionId: string | undefined): Promise<string> {
  const messageId = newId("msg");
  await rows(
    `with message as (
       insert into integration.webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position,
         status, attempts, finished_at)
       select tenant_id, $1, subscription_id, gen_random_uuid(), event_type, 1, 'Delivered', 1, now()
       from integration.webhook_subscriptions where subscription_id = $2
       returning *)
     insert into integration.webhook_attempts (tenant_id, attempt_id, message_id, subscription_id, number, outcome,
       status_code, started_at, duration_ms)
     select tenant_id, gen_random_uuid(), message_id, subscription_id, 1, 'Succeeded', 204,
       date_trunc('milliseconds', now()), 5 from message`,
    [decodeId("msg", messageId), decodeId("whs", subscriptionId ?? "")],
  );
  return messageId;
}

/** The id of the job that ends the tenant's invitation after a week. */
async function aJobId(tenantId: string): Promise<string | undefined> {
  const jobs = await rows<{ id: string }>("select id from spine_jobs.job where group_id = $1 limit 1", [tenantId]);
  return jobs[0]?.id;
}

const principal = { principalId: newId("cli") };

/** Each input type's required members. */
const inputs: Record<string, Record<string, unknown>> = {
  CreateTemplateVersionInput: {
    semanticVersion: "2.0.0",
    sourceRef: "stored://walked",
    engineKind: "DotnetNewTemplatePack",
    targetFramework: "net8.0",
  },
  RequestExecutionInput: { templateVersionId: unknownIds.templateVersionId, target: { repository: "acme/walked" } },
  ScanDependenciesInput: { templateVersionId: unknownIds.templateVersionId },
  ValidateTemplateVersionInput: { templateVersionId: unknownIds.templateVersionId },
  EvaluateTemplateCompatibilityInput: {
    templateVersionId: unknownIds.templateVersionId,
    runtime: "net8.0",
    libraries: [],
  },
  DeprecateTemplateVersionInput: { reason: "Other" },
  UpdateTemplateInput: { description: "walked" },
  RegisterLibraryVersionInput: { semanticVersion: "2.0.0" },
  DeprecateLibraryVersionInput: { reason: "Legacy" },
  RetireLibraryVersionInput: { reason: "walked" },
  CreateConnectionInput: { providerId: unknownIds.providerId, displayName: "walked", authMode: "ApiKey" },
  CreateWebhookSubscriptionInput: {
    direction: "Inbound",
    providerId: unknownIds.providerId,
    signingSecretRef: "walked-vendor",
  },
  RegisterProviderInput: { key: "walked", displayName: "walked", category: "Payment", authModel: "ApiKey" },
  CreateCredentialInput: { name: "walked-other", secret: { token: "x" } },
  AcceptToolDefinitionInput: { toolName: "walked", definitionHash: "0".repeat(64) },
  RotateCredentialInput: { credentialId: unknownIds.credentialId },
  AssignRoleInput: principal,
  UpdateWebhookSubscriptionInput: { projectId: "walked" },
  ReplayWebhookMessagesInput: { since: anHourAgo() },
  UpdateProviderInput: { displayName: "walked" },
  UpdateRoleInput: { name: "walked" },
  UpdateApiClientInput: { name: "walked" },
  SetFeatureFlagInput: { enabled: true },
  SetConfigurationInput: { value: true },
  SetNotificationTemplateInput: aTemplateInput,
  GenerateReportInput: { format: "csv", parameters: lastYear },
};

/**
 * A valid value for an input type. If the type has `required` members without a value in the table above, the test
 * fails with its name.
 */
export function goodInput(type: string, hasRequired: boolean): Record<string, unknown> {
  const input = inputs[type];
  if (input === undefined && hasRequired) throw new Error(`test/kit/tenant-objects.ts has no input of type ${type}`);
  return input ?? {};
}

/** The answer to a document as text, without the values that differ in each request. */
export async function asked(query: string, variables: Record<string, unknown>, token: string): Promise<string> {
  const { status, text } = await graphql(query, { token, variables });
  return `${status} ${normalized(text, Object.values(variables))}`;
}

/** The text without the trace id and without the requested ids, so that two answers can be compared. */
export function normalized(text: string, ids: readonly unknown[]): string {
  const presentIds = ids.filter((id): id is string => typeof id === "string");
  return presentIds
    .reduce((result, id) => result.replaceAll(id, "<id>"), text)
    .replaceAll(/"traceId":"[0-9a-f]{32}"/g, '"traceId":"<trace>"');
}
