import type { JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { errorCodes } from "@factory/schema/error-codes";
import { problemMembers } from "@factory/schema/problem-members";

const kinds = {
  text: { type: ["string", "null"] },
  number: { type: ["number", "null"] },
  texts: { type: "array", items: { type: "string" } },
  objects: { type: "array", items: { type: "object" } },
} as const;

const httpCodes = Object.entries(errorCodes).flatMap(([code, { status }]) => (status === null ? [] : [code]));

/** A problem's body (RFC 9457). */
export const problemSchema: JsonSchema = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "traceId"],
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    code: { type: "string", enum: httpCodes.sort() },
    traceId: { type: "string", pattern: "^[0-9a-f]{32}$" },
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
};
