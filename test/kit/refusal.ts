import type { Response } from "./request.js";

/**
 * The status and the code, for example `403 INSUFFICIENT_SCOPE`. If the answer is not a valid problem body of that code
 * (RFC 9457), the differences follow.
 */
export function refusal({ status, headers, body }: Response<unknown>): string {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const code = String(problem["code"]);
  const traceId = headers.get("x-trace-id");
  const faults = [
    headers.get("content-type")?.startsWith("application/problem+json") ? "" : "not a problem body",
    problem["status"] === status ? "" : `status member ${String(problem["status"])}`,
    problem["type"] === `/problems/${code.toLowerCase().replaceAll("_", "-")}` ? "" : `type ${String(problem["type"])}`,
    traceId !== null && /^[0-9a-f]{32}$/.test(traceId) ? "" : "no x-trace-id",
    problem["traceId"] === traceId ? "" : "another traceId in the body",
    typeof problem["title"] === "string" && typeof problem["detail"] === "string" ? "" : "no title or detail",
  ].filter(Boolean);
  return [`${status} ${code}`, ...faults].join(", ");
}

/** The pointer and the code of each refused field, for example `/name REQUIRED`. */
export function refusedFields({ body }: Response<unknown>): string[] {
  const { errors = [] } = (body ?? {}) as { errors?: { pointer: string; code: string }[] };
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
}
