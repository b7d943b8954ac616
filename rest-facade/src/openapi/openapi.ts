import { inputSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { problemMembers } from "@factory/schema/problem-members";
import type { GraphQLSchema } from "graphql";
import { apiVersion, integrationMediaType } from "../http/match-version.js";
import { problemMediaType } from "../http/problem.js";
import { describeVariable } from "../operations/describe-variable.js";
import { rootFieldOf } from "../operations/load-operation.js";
import type { CompiledRoute } from "../requests/compile-route.js";
import { graphListAdvice } from "../routes/graph-lists.js";
import { pathParameters, successesOf } from "../routes/route.js";
import { plainHttpPaths } from "./plain-http-paths.js";
import { responseSchema } from "./response-schema.js";
import { securityOf, securitySchemes } from "./security.js";

export type OpenApiDocument = ReturnType<typeof describeApi>;

type Member = Record<string, unknown>;

const json = "application/json";

/** OpenAPI 3.1 for the public listener, from the route tables, their operations and the graph. */
export function describeApi(routes: readonly CompiledRoute[], graph: GraphQLSchema) {
  const schemas: Record<string, JsonSchema> = { Problem: problemSchema };
  const paths: Record<string, Record<string, Member>> = structuredClone(plainHttpPaths);
  for (const route of routes) {
    if (route.row.surface === "internal") continue;
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = describe(route, graph, schemas);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Software factory platform",
      version: apiVersion,
      description: about,
      contact: { name: "The operator of this platform" },
      license: { name: "All rights reserved", identifier: "LicenseRef-All-Rights-Reserved" },
    },
    ...addressesAt("/"),
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      responses: {
        Problem: {
          description:
            "The error of a request (RFC 9457). `code` is one of a closed list of codes. The URL in `type` describes its meaning.",
          headers: { "x-trace-id": { description: "Trace id, for support.", schema: { type: "string" } } },
          content: { [problemMediaType]: { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
      securitySchemes: securitySchemes("/"),
    },
  };
}

/** The document with the absolute addresses of the platform that serves it. */
export function addressed(document: OpenApiDocument, publicUrl: string): OpenApiDocument {
  const base = `${publicUrl}/`;
  const components = { ...document.components, securitySchemes: securitySchemes(base) };
  return { ...document, ...addressesAt(base), components };
}

const addressesAt = (base: string) => ({
  servers: [{ url: base.length > 1 ? base.slice(0, -1) : base }],
  externalDocs: { description: "Guides with examples.", url: `${base}docs/guides` },
});

const about = `Template and library catalog, integrations, and the SaaS spine. The same data is served at /graphql, with \
subscriptions over a websocket or an event stream. ${graphListAdvice}

Every request may have the header \`X-Tenant-Id\`, which must name the tenant of the token, and the header \
\`traceparent\` (W3C Trace Context), whose trace the platform continues.`;

const tags = {
  catalog: "Templates with their versions and executions, libraries, and compatibility.",
  integration: "Providers, credentials and webhooks.",
  spine: "Tenants, users, roles, invitations and approvals.",
  authorization: "Tokens and sign-in (OAuth 2.0, OpenID Connect).",
};

function describe(route: CompiledRoute, graph: GraphQLSchema, schemas: Record<string, JsonSchema>): Member {
  const { row, operation, area, input } = route;
  const field = rootFieldOf(graph, operation);
  const answerName = `${operation.name[0]?.toUpperCase()}${operation.name.slice(1)}Response`;
  const answer = responseSchema(field.type, operation.root.selectionSet);
  const shownSchema = row.mayExist ? without(answer, "created") : answer;
  const settledSchema = row.mayWait ? without(shownSchema, "approvalId") : shownSchema;
  const waitingName = `${answerName.slice(0, -"Response".length)}WaitingResponse`;
  if (row.reply !== 204) schemas[answerName] = settledSchema;
  if (row.mayWait) schemas[waitingName] = shownSchema;
  if (input) schemas[input.name] = inputSchema(input);
  const mediaTypes = row.version === "media-type" ? [json, integrationMediaType] : [json];
  const content = (name: string) =>
    Object.fromEntries(mediaTypes.map((type) => [type, { schema: { $ref: `#/components/schemas/${name}` } }]));
  return {
    operationId: operation.name,
    tags: [area],
    summary: summaryOf(operation.name),
    ...(field.description ? { description: field.description } : {}),
    security: row.anonymous ? [] : securityOf(row.forPeople ? [] : row.scopes),
    parameters: parametersOf(route, graph),
    ...(input
      ? {
          requestBody: {
            required: (schemas[input.name]?.["required"] as unknown[]) !== undefined,
            content: content(input.name),
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        successesOf(row).map((status) => {
          if (row.mayWait && status === 202)
            return [
              status,
              {
                description: "The change waits for the approval of another person.",
                headers: { ...headersOf(route), location: header("The address of the approval.") },
                content: content(waitingName),
              },
            ];
          return [
            status,
            {
              description: row.mayExist && status === 200 ? "The resource existed already." : replies[status],
              headers: headersOf(route),
              ...(status === 204 ? {} : { content: content(answerName) }),
            },
          ];
        }),
      ),
      ...(route.method === "GET" ? { "304": { description: "Not modified." } } : {}),
      ...Object.fromEntries(refusals(route).map((status) => [status, { $ref: "#/components/responses/Problem" }])),
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}

const replies = {
  200: "Done.",
  201: "Created.",
  202: "Accepted. The work is not complete yet.",
  204: "Done. The answer has no body.",
} as const;

function without(schema: JsonSchema, member: string): JsonSchema {
  const { [member]: _, ...properties } = schema["properties"] as Record<string, JsonSchema>;
  return { ...schema, properties, required: Object.keys(properties) };
}

/** Turns `createTemplateVersion` into `Create template version`. */
const summaryOf = (name: string) => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
};

function refusals({ row, path, method, conditions }: CompiledRoute): string[] {
  return [
    "400",
    ...(row.anonymous ? ["404", "410"] : ["401", "403"]),
    ...(path.includes("{") ? ["404"] : []),
    ...(row.version === "media-type" ? ["406"] : []),
    ...(["POST", "PUT", "PATCH"].includes(method) ? ["409", "413", "415", "422"] : method === "DELETE" ? ["409"] : []),
    ...(conditions.length > 0 ? ["412"] : []),
    "429",
  ];
}

const header = (description: string) => ({ description, schema: { type: "string" } });

function headersOf({ row, method, waits }: CompiledRoute): Member {
  return {
    "x-trace-id": header("Trace id of this request."),
    ratelimit: header("The number of requests that the tenant may still send in this window."),
    ...(method === "GET" ? { etag: header("Send it back as If-None-Match.") } : {}),
    ...((method === "PUT" || method === "PATCH") && row.etag
      ? { etag: header("The new version. Send it back as If-Match.") }
      : {}),
    ...(row.location ? { location: header("The address of the result.") } : {}),
    ...(row.retryWhile || row.reply === 202
      ? { "retry-after": header("The seconds to wait before the next request. Present until the work is complete.") }
      : {}),
    ...(waits ? { "preference-applied": header("The preference `wait` that was applied.") } : {}),
    ...(row.idempotent
      ? {
          "idempotent-replayed": header(
            "`true` if this is the stored answer to an earlier request with the same Idempotency-Key.",
          ),
        }
      : {}),
  };
}

function parametersOf(
  { row, path, query, conditions, waits, method, operation }: CompiledRoute,
  graph: GraphQLSchema,
): Member[] {
  const text = { type: "string" };
  const optional = (name: string, description: string, schema: JsonSchema = text) => ({
    name,
    in: "header",
    required: false,
    description,
    schema,
  });
  return [
    ...pathParameters(path).map((name) => {
      const description = describeVariable(operation, name, graph);
      return { name, in: "path", required: true, schema: text, ...(description && { description }) };
    }),
    ...query.map(({ names: [name], schema, description }) => {
      return { name, in: "query", required: false, schema, ...(description && { description }) };
    }),
    ...conditions.map((name) =>
      optional(
        name === "ifMatch" ? "If-Match" : "If-None-Match",
        describeVariable(operation, name, graph) ?? "A precondition (RFC 9110 section 13.1).",
      ),
    ),
    ...(row.idempotent
      ? [
          optional(
            "Idempotency-Key",
            "For 24 hours, a repeated request with the same key returns the stored answer and has no second effect.",
            keySchema,
          ),
        ]
      : []),
    ...(waits
      ? [
          optional(
            "Prefer",
            `\`wait=<seconds>\` (RFC 7240 section 4.3). ${describeVariable(operation, "waitSeconds", graph) ?? ""}`.trim(),
          ),
        ]
      : []),
    ...(row.version === "header"
      ? [optional("api-version", "Default: the newest version of /v1.", { ...text, enum: ["1", apiVersion] })]
      : []),
    ...(method === "GET"
      ? [optional("If-None-Match", "The ETag of an earlier answer. The answer is 304 if the resource has not changed.")]
      : []),
  ];
}

const keySchema = { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" };

const kinds = {
  text: { type: ["string", "null"] },
  number: { type: ["number", "null"] },
  texts: { type: "array", items: { type: "string" } },
  objects: { type: "array", items: { type: "object" } },
} as const;

const problemSchema: JsonSchema = {
  type: "object",
  required: ["type", "title", "status", "code", "traceId"],
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string", format: "uri-reference" },
    code: { type: "string" },
    traceId: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["pointer", "code", "detail"],
        properties: { pointer: { type: "string" }, code: { type: "string" }, detail: { type: "string" } },
      },
    },
    ...Object.fromEntries(Object.entries(problemMembers).map(([name, kind]) => [name, kinds[kind]])),
  },
  examples: [
    {
      type: "/problems/template-not-found",
      title: "Template not found",
      status: 404,
      detail: "The template does not exist, or it belongs to another tenant.",
      instance: "/v1/templates/tpl_00000000000000000000000000",
      code: "TEMPLATE_NOT_FOUND",
      traceId: "0af7651916cd43dd8448eb211c80319c",
    },
  ],
};
