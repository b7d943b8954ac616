import { type ProblemMember, problemMembers } from "@factory/schema/problem-members";
import type { Response } from "./request.js";

/**
 * The status and the code, for example `403 INSUFFICIENT_SCOPE`. If the answer is not a valid problem body for that
 * code (RFC 9457), the differences follow.
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
    ...strangeMembers(problem),
  ].filter(Boolean);
  return [`${status} ${code}`, ...faults].join(", ");
}

const members = ["type", "title", "status", "detail", "instance", "code", "traceId", "errors"];

/** The texts that the OpenFeature Remote Evaluation Protocol (OFREP) wants in its errors. */
const ofrepMembers = ["key", "errorCode", "errorDetails"];

/** The members that no problem has, or that have another type in other problems. */
function strangeMembers(problem: Readonly<Record<string, unknown>>): string[] {
  const others = Object.entries(problem).filter(([name]) => !members.includes(name));
  return others.flatMap(([name, value]) =>
    isOfItsKind(name, value) ? [] : [`member ${name} ${JSON.stringify(value)}`],
  );
}

function isOfItsKind(name: string, value: unknown): boolean {
  if (ofrepMembers.includes(name)) return typeof value === "string";
  if (!Object.hasOwn(problemMembers, name)) return false;
  const kind = problemMembers[name as ProblemMember];
  if (kind === "texts") return Array.isArray(value) && value.every((item) => typeof item === "string");
  if (kind === "objects") return Array.isArray(value);
  return value === null || typeof value === (kind === "text" ? "string" : "number");
}

/** The pointer and the code for each refused field, for example `/name REQUIRED`. */
export function refusedFields({ body }: Response<unknown>): string[] {
  const { errors = [] } = (body ?? {}) as { errors?: { pointer: string; code: string }[] };
  return errors.map(({ pointer, code }) => `${pointer} ${code}`);
}
