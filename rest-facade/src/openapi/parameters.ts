import { fieldSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { exampleTime, exampleValue } from "@factory/schema/example-values";
import { idMembers, idPattern } from "@factory/schema/id-members";
import type { GraphQLSchema } from "graphql";
import { apiVersion } from "../http/match-version.js";
import { describeVariable, variableTarget } from "../operations/describe-variable.js";
import type { CompiledRoute } from "../requests/compile-route.js";
import { maxLimit } from "../requests/read-variables.js";
import { pathParameters } from "../routes/route.js";

type Member = Record<string, unknown>;

/** The parameters in an operation's path, query and headers, each with an example. */
export function parametersOf(route: CompiledRoute, graph: GraphQLSchema): Member[] {
  const { row, path, query, conditions, waits, method, operation } = route;
  return [
    ...pathParameters(path).map((name) => ({
      ...{ name, in: "path", required: true },
      ...described(describeVariable(operation, name, graph)),
      ...withExample(pathSchema(name, path), kindOf(name, path)),
    })),
    ...query.map((parameter) => ({
      ...{ name: parameter.names[0], in: "query", required: false },
      ...described(parameter.description),
      ...withExample(querySchema(route, parameter, graph), parameter.variable),
    })),
    ...conditions.map((name) =>
      inHeader(
        name === "ifMatch" ? "If-Match" : "If-None-Match",
        describeVariable(operation, name, graph) ?? "A precondition (RFC 9110 section 13.1).",
        tagsSchema,
      ),
    ),
    ...(row.idempotent
      ? [
          inHeader(
            "Idempotency-Key",
            "For 24 hours, a repeated request with the same key returns the stored answer and has no second effect.",
            keySchema,
          ),
        ]
      : []),
    ...(waits
      ? [
          inHeader(
            "Prefer",
            `\`wait=<seconds>\` (RFC 7240 section 4.3). ${describeVariable(operation, "waitSeconds", graph) ?? ""}`.trim(),
            text,
          ),
        ]
      : []),
    ...(row.version === "header"
      ? [inHeader("api-version", "Default: the newest version of /v1.", { ...text, enum: ["1", apiVersion] })]
      : []),
    ...(method === "GET"
      ? [
          inHeader(
            "If-None-Match",
            "The ETag of an earlier answer. The answer is 304 if the resource has not changed.",
            tagsSchema,
          ),
        ]
      : []),
  ];
}

const text = { type: "string" };

/** Entity tags, or `*` (RFC 9110 section 13.1). */
const tagsSchema = { ...text, pattern: String.raw`^(\*|(W/)?"[^"]*"(\s*,\s*(W/)?"[^"]*")*)$` };

const keySchema = { ...text, minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" };

const described = (description: string | undefined) => (description === undefined ? {} : { description });

const inHeader = (name: string, description: string, schema: JsonSchema) => ({
  ...{ name, in: "header", required: false, description },
  ...withExample(schema, name.toLowerCase()),
});

const withExample = (schema: JsonSchema, name: string) => ({ schema, example: exampleParameter(schema, name) });

/** The name by which a parameter's values are known. The specifications call some path parameters only `id`. */
function kindOf(name: string, path: string): string {
  if (name !== "id") return name;
  return path.startsWith("/v1/reports/") ? "reportDefinitionId" : "planSubscriptionId";
}

function pathSchema(name: string, path: string): JsonSchema {
  const prefix = idMembers[kindOf(name, path)];
  return prefix ? { ...text, pattern: idPattern(prefix) } : { ...text, minLength: 1, maxLength: 200 };
}

/** Filters by time, which are texts in the graph. */
const times: ReadonlySet<string> = new Set(["since", "from", "to", "expiresBefore"]);

function querySchema(
  { operation }: CompiledRoute,
  { variable, schema }: CompiledRoute["query"][number],
  graph: GraphQLSchema,
): JsonSchema {
  if (variable === "first") return { ...schema, maximum: maxLimit, default: 50 };
  if (variable === "after") return { ...schema, default: "" };
  const target = variableTarget(operation, variable, graph);
  if (times.has(variable)) return { ...text, format: "date-time" };
  const prefix = idMembers[variable];
  if (prefix && schema["type"] === "string") return { ...text, pattern: idPattern(prefix) };
  return target ? { ...schema, ...withoutNull(fieldSchema(target)) } : schema;
}

/** A query string has no null. The parameter has the description. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  const { description: _description, ...others } = schema;
  return {
    ...others,
    ...(Array.isArray(type) ? { type: type.find((kind) => kind !== "null") } : {}),
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
  };
}

/** An example that changes little: all optional parameters together still make a valid request. */
function exampleParameter(schema: JsonSchema, name: string): unknown {
  if (Object.hasOwn(schema, "default")) return schema["default"];
  return times.has(name) ? exampleTime : exampleValue(schema, name);
}
