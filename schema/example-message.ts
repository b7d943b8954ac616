import { type CommandType, commandTypes } from "./command-names.js";
import { type EventType, eventTypes, schemaVersion } from "./event-names.js";
import { commandSchemas, type DescribedSchema, eventSchemas } from "./event-schemas.js";
import { exampleId, exampleTime, exampleValue } from "./example-values.js";
import type { SubgraphName } from "./subgraph-names.js";

/** The attributes that the event and command examples share. */
interface ExampleAttributes {
  specversion: "1.0";
  id: string;
  source: string;
  subject: string;
  time: string;
  datacontenttype: "application/json";
  schemaversion: string;
  tenantid: string;
  traceparent: string;
  traceid: string;
  correlationid: string;
  partitionkey: string;
  data: Record<string, unknown>;
}

/** An event as the bus carries it: valid, but about nothing that exists. */
export interface ExampleEvent extends ExampleAttributes {
  messagekind: "event";
  type: EventType;
}

/** A command as the bus carries it: valid, but about nothing that exists. */
export interface ExampleCommand extends ExampleAttributes {
  messagekind: "command";
  type: CommandType;
  actorid: string;
}

const traceId = "0af7651916cd43dd8448eb211c80319c";

/** An event example; undefined for a type that this release does not emit. */
export function exampleEvent(type: EventType): ExampleEvent | undefined {
  const schema = eventSchemas.get(type);
  return (
    schema && {
      ...exampleMessage(type, schema, eventTypes[type].source),
      id: exampleId("evt"),
      messagekind: "event",
      type,
    }
  );
}

/** An event as a webhook's body. */
export function exampleWebhookBody(type: EventType): Record<string, unknown> | undefined {
  const event = exampleEvent(type);
  return event && { ...event, sequence: "42", timestamp: event.time };
}

/** A command example; undefined for a command without a schema. */
export function exampleCommand(type: CommandType): ExampleCommand | undefined {
  const schema = commandSchemas.get(type);
  return (
    schema && {
      ...exampleMessage(type, schema, commandTypes[type].handler),
      id: exampleId("cmd"),
      messagekind: "command",
      type,
      actorid: exampleId("cli"),
    }
  );
}

function exampleMessage(type: string, schema: DescribedSchema, source: SubgraphName): ExampleAttributes {
  const data = exampleValue(schema, "data") as Record<string, unknown>;
  const subject = subjectOf(type, data);
  return {
    specversion: "1.0",
    id: "",
    source: `/${source}`,
    subject,
    time: exampleTime,
    datacontenttype: "application/json",
    schemaversion: schemaVersion,
    tenantid: exampleId("ten"),
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    traceid: traceId,
    correlationid: traceId,
    partitionkey: subject.slice(subject.indexOf("/") + 1),
    data,
  };
}

/** The resource that a data member names. */
const resources: Readonly<Record<string, string>> = {
  approvalId: "approvals",
  clientId: "clients",
  code: "editions",
  commandId: "commands",
  connectionId: "connections",
  credentialId: "credentials",
  deliveryId: "deliveries",
  dependencyScanId: "dependency-scans",
  executionId: "executions",
  featureKey: "entitlements",
  invitationId: "invitations",
  key: "config",
  keyId: "signing-keys",
  libraryId: "libraries",
  libraryVersionId: "library-versions",
  mailId: "mails",
  matrixId: "compatibility-matrices",
  notificationId: "notifications",
  position: "audit-seals",
  providerId: "providers",
  reportRunId: "report-runs",
  roleId: "roles",
  runId: "runs",
  sourceRef: "packages",
  subscriptionId: "subscriptions",
  templateId: "templates",
  templateVersionId: "template-versions",
  userId: "users",
};

/** Messages that are about another member than the first one that names a resource. */
const exceptions: Readonly<Record<string, readonly [resource: string, member: string]>> = {
  FeatureFlagUpdated: ["feature-flags", "key"],
  NotificationTemplateDeleted: ["notification-templates", "key"],
  NotificationTemplateUpdated: ["notification-templates", "key"],
  TemplateParameterSchemaDefined: ["template-versions", "templateVersionId"],
  TemplateVersionCreated: ["template-versions", "templateVersionId"],
  TemplateVersionDeleted: ["template-versions", "templateVersionId"],
  TemplateVersionDeprecated: ["template-versions", "templateVersionId"],
  TemplateVersionPublished: ["template-versions", "templateVersionId"],
  TemplateVersionReplaced: ["template-versions", "templateVersionId"],
  TenantProvisioned: ["tenants", "tenantId"],
  TenantProvisioningFailed: ["tenants", "tenantId"],
  TenantProvisioningStarted: ["tenants", "tenantId"],
  TokenRevoked: ["users", "userId"],
  RefreshTokenReuseDetected: ["users", "userId"],
};

function subjectOf(type: string, data: Readonly<Record<string, unknown>>): string {
  const memberName = Object.keys(data).find((name) => resources[name] && data[name] != null) ?? "tenantId";
  const [resource, member] = exceptions[type] ?? [resources[memberName] ?? "tenants", memberName];
  const id = String(data[member]);
  if (id.startsWith("whs_")) return `webhook-subscriptions/${id}`;
  return typeof data["assignmentId"] === "string"
    ? `roles/${String(data["roleId"])}/assignments/${data["assignmentId"]}`
    : `${resource}/${id}`;
}
