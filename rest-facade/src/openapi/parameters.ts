import type { JsonSchema } from "@factory/runtime/input-validation/input-schema";
import type { GraphQLSchema } from "graphql";
import { apiVersion } from "../http/match-version.js";
import { describeVariable } from "../operations/describe-variable.js";
import type { CompiledRoute } from "../requests/compile-route.js";
import { pathParameters } from "../routes/route.js";

type Member = Record<string, unknown>;

/** The parameters in an operation's path, query and headers. */
export function parametersOf(
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
