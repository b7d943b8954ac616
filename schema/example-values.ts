import type { JsonSchema } from "./event-schemas.js";
import { idMembers } from "./id-members.js";

/** A valid version 7 uuid in the form that wire ids have. */
const idBody = "01kddrhzv0e9va1fr6y5t3kxqz";
const digits = (count: number) => "0123456789abcdef".repeat(Math.ceil(count / 16)).slice(0, count);

/** Values for texts whose schema allows any text, by member name. */
const texts: Readonly<Record<string, string>> = {
  about: "Invitation",
  acr: "mfa",
  address: "ada@acme.example",
  agentTaskId: "task-42",
  apiClient: "http-json",
  area: "messaging",
  authMode: "ApiKey",
  authModel: "ApiKey",
  baseBranch: "main",
  branch: "main",
  category: "Service",
  channel: "InApp",
  checks: "StructuralLint",
  code: "Developer",
  comment: "The change was agreed.",
  contract: "Acme.Messaging.IPublisher",
  correlationId: "0af7651916cd43dd8448eb211c80319c",
  description: "An example.",
  detail: "The vendor has answered 401.",
  displayName: "Our organization",
  editionCode: "Team",
  email: "ada@acme.example",
  endpointUrl: "https://acme.example/hooks",
  engineKind: "DotnetNewTemplatePack",
  eventName: "pull_request",
  eventType: "TemplateExecuted",
  failedStep: "CreateOwner",
  failure: "The receiver answered 410.",
  featureKey: "executions.monthly",
  format: "csv",
  grantTypes: "client_credentials",
  "idempotency-key": "order-42",
  "if-match": '"7"',
  "if-none-match": '"0af7651916cd43dd"',
  instance: "/v1/templates",
  jobId: "0198d9b8-fec0-7492-a1bc-1f9e2a3b4c5d",
  jws: "e30.e30.c2ln",
  key: "example",
  keyIds: "key-1",
  kind: "ApiKey",
  locale: "en",
  message: "The source was not found.",
  name: "example",
  nextCursor: "bmV4dC1wYWdl",
  normalizedEventType: "PullRequestOpened",
  operation: "VerifyConnection",
  owner: "platform-team",
  ownerEmail: "ada@acme.example",
  packageName: "Acme.Messaging",
  password: "correct horse battery staple",
  payloadRef: `/integrations/deliveries/whd_${idBody}`,
  prefer: "wait=5",
  principalId: "cli_01kddrhzv0e9va1fr6y5t3kxqz",
  principalType: "Service",
  provider: "example",
  providerDeliveryId: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  providerKey: "github",
  range: "[2.0.0,3.0.0)",
  reason: "The owner has asked for it.",
  redirectUris: "https://app.example.com/callback",
  repository: "acme/orders",
  resolvedRef: digits(40),
  roleCode: "Developer",
  roleCodes: "Developer",
  runtime: "net10.0",
  scope: "read",
  scopes: "templates.read",
  secret: "a-generated-secret",
  semanticVersion: "1.4.0",
  sessionId: "0198d9b8-fec0-7492-a1bc-1f9e2a3b4c5d",
  signingSecretRef: "orders-webhook",
  slug: "acme",
  sourceRef: "nuget:Acme.Messaging@1.4.0",
  status: "Active",
  subject: "executions/exe_01kddrhzv0e9va1fr6y5t3kxqz",
  tags: "example",
  targetFramework: "net10.0",
  targetFrameworks: "net10.0",
  tenant: "acme",
  tenantSlug: "acme",
  title: "Orders",
  toolName: "search",
  traceId: "0af7651916cd43dd8448eb211c80319c",
  type: "TemplateExecuted",
  url: "https://git.example/acme/orders/pull/7",
  version: "1.4.0",
};

/** Values for texts with a fixed form, by their schema's pattern. */
const forms: Readonly<Record<string, string>> = {
  "^[A-Z][A-Z_]*$": "UNAVAILABLE",
  "^[A-Z][A-Z_]+$": "TEMPLATE_VERSION_NOT_FOUND",
  "^[0-9a-f]{64}$": digits(64),
  "^sha256:[0-9a-f]{64}$": `sha256:${digits(64)}`,
  "^[0-9a-f]{40}([0-9a-f]{24})?$": digits(40),
  "^secret://.": "secret://example",
  "^secret://.*#v[1-9][0-9]*$": "secret://example#v2",
};

/** Values for texts with a format. */
const formats: Readonly<Record<string, string>> = {
  email: "ada@acme.example",
  "idn-email": "ada@acme.example",
  "idn-hostname": "acme.example",
  iri: "https://acme.example/",
  uri: "https://acme.example/",
  "uri-reference": "https://acme.example/",
};

/** The time in all examples. */
export const exampleTime = "2026-01-15T09:30:00.000Z";

/** An id for the kind, which belongs to no row. */
export const exampleId = (prefix: string): string => `${prefix}_${idBody}`;

/**
 * A value that is valid for the schema. The first value in `examples` has precedence; `name` chooses among plain texts.
 */
export function exampleValue(schema: JsonSchema, name: string): unknown {
  if (schema.examples) return schema.examples[0];
  if (Object.hasOwn(schema, "const")) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== null) ?? null;
  if (schema.oneOf?.[0]) return exampleValue(schema.oneOf[0], name);
  switch ([schema.type ?? []].flat().find((type) => type !== "null")) {
    case "object":
      return exampleObject(schema);
    case "array":
      return schema.items ? [exampleValue(schema.items, name)] : [];
    case "boolean":
      return true;
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "string":
      return exampleText(schema, name);
    default:
      return "example";
  }
}

/** The members that are required, and those that have their own example. */
function exampleObject({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  const shownMembers = Object.entries(properties).filter(([name, { examples }]) => required.includes(name) || examples);
  return Object.fromEntries(shownMembers.map(([name, schema]) => [name, exampleValue(schema, name)]));
}

function exampleText({ pattern, format, maxLength }: JsonSchema, name: string): string {
  if (format === "date-time") return exampleTime;
  if (format === "date") return exampleTime.slice(0, 10);
  const prefix = /^\^\(?([a-z]{3})[_|]/.exec(pattern ?? "")?.[1] ?? idMembers[name];
  const text =
    (prefix && exampleId(prefix)) ??
    forms[pattern ?? ""] ??
    formats[format ?? ""] ??
    texts[name] ??
    `example-${name.toLowerCase()}`;
  return text.slice(0, maxLength);
}
