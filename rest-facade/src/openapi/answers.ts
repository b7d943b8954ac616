import type { JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { GraphQLID, type GraphQLInputObjectType, getNamedType } from "graphql";
import { isList } from "../operations/load-operation.js";
import type { CompiledRoute } from "../requests/compile-route.js";
import { successesOf } from "../routes/route.js";
import { refusalsOf } from "./refusals.js";

type Member = Record<string, unknown>;

/** A route's answers with a body: its schema as it is shown, and while the change waits for an approval. */
export interface ShownSchemas {
  readonly settled: JsonSchema;
  readonly waiting: JsonSchema;
}

/** The answer's schema without the members that only decide about the status. */
export function shownSchemas({ row }: CompiledRoute, answer: JsonSchema): ShownSchemas {
  const waiting = row.mayExist ? without(answer, "created") : answer;
  return { settled: row.mayWait ? without(waiting, "approvalId") : waiting, waiting };
}

function without(schema: JsonSchema, member: string): JsonSchema {
  const { [member]: _, ...properties } = schema["properties"] as Record<string, JsonSchema>;
  return { ...schema, properties, required: Object.keys(properties) };
}

/** The route's answers by status. `content` has the media types of each body. */
export function answersOf(route: CompiledRoute, content: Record<keyof ShownSchemas, Member>): Member {
  const { row, method, path, conditions, operation, input } = route;
  return {
    ...Object.fromEntries(
      successesOf(row).map((status) => [
        status,
        row.mayWait && status === 202
          ? {
              description: "The change waits for the approval of another person.",
              headers: { ...headersOf(route), location: header("The address of the approval.") },
              content: content.waiting,
            }
          : {
              description: row.mayExist && status === 200 ? "The resource existed already." : replies[status],
              headers: headersOf(route),
              ...(status === 204 ? {} : { content: content.settled }),
            },
      ]),
    ),
    ...(method === "GET" ? { "304": { description: "Not modified.", headers: headersOf(route) } } : {}),
    ...refusalsOf({
      method,
      path,
      withToken: !row.anonymous,
      onGraph: true,
      negotiated: row.version === "media-type",
      conditional: conditions.length > 0,
      further: [
        ...(row.anonymous ? ["403", "404", "410"] : []),
        ...(method === "GET" && isList(operation) ? ["422"] : []),
        ...(input && namesResource(input) ? ["404"] : []),
      ],
    }),
  };
}

/** Whether a body names a resource by its id. */
const namesResource = (input: GraphQLInputObjectType) =>
  Object.values(input.getFields()).some(({ type }) => getNamedType(type) === GraphQLID);

const replies = {
  200: "Done.",
  201: "Created.",
  202: "Accepted. The work is not complete yet.",
  204: "Done. The answer has no body.",
} as const;

const header = (description: string) => ({ description, schema: { type: "string" } });
const required = (description: string) => ({ ...header(description), required: true });

function headersOf({ row, method, waits, operation }: CompiledRoute): Member {
  return {
    "x-trace-id": required("Trace id of this request."),
    ratelimit: header("The number of requests that the tenant may still send in this window."),
    ...(method === "GET" ? { etag: required("Send it back as If-None-Match.") } : {}),
    ...((method === "PUT" || method === "PATCH") && row.etag
      ? { etag: header("The new version. Send it back as If-Match.") }
      : {}),
    ...(method === "GET" && isList(operation)
      ? { link: header('The next page (RFC 8288), with rel="next". Absent on the last page.') }
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
