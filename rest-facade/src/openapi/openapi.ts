import { inputSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { exampleValue } from "@factory/schema/example-values";
import type { GraphQLSchema } from "graphql";
import { apiVersion, integrationMediaType } from "../http/match-version.js";
import { rootFieldOf } from "../operations/load-operation.js";
import type { CompiledRoute } from "../requests/compile-route.js";
import { graphListAdvice } from "../routes/graph-lists.js";
import { answersOf, shownSchemas } from "./answers.js";
import { exampleBody, exampleReference, withExamples } from "./examples.js";
import { parametersOf } from "./parameters.js";
import { plainHttpPaths } from "./plain-http-paths.js";
import { problemSchema } from "./problem-schema.js";
import { problemAnswers } from "./refusals.js";
import { responseSchema } from "./response-schema.js";
import { securityOf, securitySchemes } from "./security.js";

export type OpenApiDocument = ReturnType<typeof describeApi>;

type Member = Record<string, unknown>;

const json = "application/json";

/** OpenAPI 3.1 for the public listener, from the route tables, their operations and the graph. */
export function describeApi(routes: readonly CompiledRoute[], graph: GraphQLSchema) {
  const schemas: Record<string, JsonSchema> = { Problem: problemSchema };
  const examples: Record<string, { value: unknown }> = {};
  const paths = withExamples(plainHttpPaths);
  for (const route of routes) {
    if (route.row.surface === "internal") continue;
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = describe(route, graph, { schemas, examples });
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
      examples,
      responses: problemAnswers,
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

interface Shared {
  readonly schemas: Record<string, JsonSchema>;
  readonly examples: Record<string, { value: unknown }>;
}

function describe(route: CompiledRoute, graph: GraphQLSchema, { schemas, examples }: Shared): Member {
  const { row, operation, area, input } = route;
  const field = rootFieldOf(graph, operation);
  const name = `${operation.name[0]?.toUpperCase()}${operation.name.slice(1)}`;
  const { settled, waiting } = shownSchemas(route, responseSchema(field.type, operation.root.selectionSet));
  const add = (schemaName: string, schema: JsonSchema) => {
    schemas[schemaName] = schema;
    examples[schemaName] = { value: exampleValue(schema, "body") };
  };
  if (row.reply !== 204) add(`${name}Response`, settled);
  if (row.mayWait) add(`${name}WaitingResponse`, waiting);
  if (input) {
    schemas[input.name] = inputSchema(input);
    examples[`${name}Request`] = { value: exampleBody(route, inputSchema(input)) };
  }
  const mediaTypes = row.version === "media-type" ? [json, integrationMediaType] : [json];
  const content = (schemaName: string, exampleName = schemaName) => {
    const schema = { $ref: `#/components/schemas/${schemaName}` };
    return Object.fromEntries(mediaTypes.map((type) => [type, { schema, examples: exampleReference(exampleName) }]));
  };
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
            content: content(input.name, `${name}Request`),
          },
        }
      : {}),
    responses: answersOf(route, { settled: content(`${name}Response`), waiting: content(`${name}WaitingResponse`) }),
  };
}

/** Turns `createTemplateVersion` into `Create template version`. */
const summaryOf = (name: string) => {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
};
