import { STATUS_CODES } from "node:http";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { problemMediaType, problemType } from "../http/problem.js";

type Member = Record<string, unknown>;

/** An operation's properties that decide with which problems it can be refused. */
interface Refused {
  readonly method: string;
  readonly path: string;
  /** Whether it needs a token. */
  readonly withToken?: boolean;
  /** Whether it runs an operation on the graph, which may fail or take too long. */
  readonly onGraph?: boolean;
  /** Whether the header Accept chooses between media types. */
  readonly negotiated?: boolean;
  /** Whether it takes `If-Match`, or `If-None-Match` for a change. */
  readonly conditional?: boolean;
  readonly further?: readonly string[];
}

/** The listener itself answers these to a request for any operation. */
const fromListener = ["400", "408", "414", "417", "429", "431", "500", "503"];

function refusalStatuses(refused: Refused): string[] {
  const { method, path, withToken = false, onGraph = false, negotiated = false, conditional = false } = refused;
  const changes = method !== "GET";
  const statuses = [
    ...fromListener,
    ...(onGraph ? ["502", "504"] : []),
    ...(withToken ? ["401", "403"] : []),
    ...(path.includes("{") ? ["404"] : []),
    ...(negotiated ? ["406"] : []),
    ...(changes ? ["409", "413", "415", "422"] : []),
    ...(conditional ? ["412"] : []),
    ...(refused.further ?? []),
  ];
  return [...new Set(statuses)].sort();
}

/** The answers to an operation that is refused, and to one that a later release refuses in another way. */
export const refusalsOf = (refused: Refused): Member =>
  Object.fromEntries([...refusalStatuses(refused), "default"].map((status) => [status, problemAnswer(status)]));

const problemAnswer = (status: string) => ({ $ref: `#/components/responses/${answerName(status)}` });

/**
 * The problems of an endpoint that the listener passes on to its owner: those that it answers before the owner sees the
 * request.
 */
export const passedOnRefusals = (statuses = ["400", "408", "414", "417", "431"]): Member =>
  Object.fromEntries(statuses.map((status) => [status, problemAnswer(status)]));

const answerName = (status: string) =>
  status === "default" ? "Problem" : (STATUS_CODES[status] ?? status).replaceAll(/[^A-Za-z]/g, "");

const header = (description: string) => ({ description, schema: { type: "string" } });

const traceHeader = { "x-trace-id": { ...header("Trace id, for support."), required: true } };
const retryHeader = { "retry-after": header("The seconds to wait before another attempt. Not every code has it.") };

const headers: Readonly<Record<string, Member>> = {
  401: { "www-authenticate": header("The challenge (RFC 9110 section 11.6.1).") },
  403: { "www-authenticate": header("The scopes that are needed (RFC 6750 section 3). Only for INSUFFICIENT_SCOPE.") },
  405: { allow: header("The methods that the path has.") },
  409: retryHeader,
  412: { etag: header("The current version.") },
  416: { "content-range": header("The size of the content.") },
  429: retryHeader,
  503: retryHeader,
};

const schema = { $ref: "#/components/schemas/Problem" };

/** A problem with status 400, as an answer's content. */
export const badRequestContent = contentOf("400", ["VALIDATION_FAILED"]);

/** It answers requests that no operation describes, such as CONNECT. */
const undescribedStatus = 501;

/** The problems as reusable answers: one for each status, and one that stands for all others. */
export const problemAnswers: Record<string, Member> = {
  Problem: {
    description:
      "The error of a request (RFC 9457). `code` is one of a closed list of codes. The URL in `type` describes its meaning.",
    headers: traceHeader,
    content: contentOf("404", ["TEMPLATE_NOT_FOUND"]),
  },
  ...Object.fromEntries(
    Object.entries(codesByStatus()).map(([status, codes]) => [
      answerName(status),
      {
        description: descriptionOf(status, codes),
        headers: { ...traceHeader, ...headers[status] },
        content: contentOf(status, codes),
      },
    ]),
  ),
};

function codesByStatus(): Record<string, ErrorCode[]> {
  // 417 has no code of its own
  const codes: Record<string, ErrorCode[]> = { 417: ["VALIDATION_FAILED"] };
  for (const [code, { status }] of Object.entries(errorCodes))
    if (status !== null && status !== undescribedStatus) codes[status] = [...(codes[status] ?? []), code as ErrorCode];
  return codes;
}

function contentOf(status: string, [code = "INTERNAL"]: readonly ErrorCode[]): Member {
  const { title, when } = errorCodes[code];
  const example = {
    ...{
      type: problemType(code),
      title,
      status: Number(status),
      detail: `${when.charAt(0).toUpperCase()}${when.slice(1)}.`,
    },
    ...{ instance: "/v1/templates", code, traceId: "0af7651916cd43dd8448eb211c80319c" },
  };
  return { [problemMediaType]: { schema, example } };
}

function descriptionOf(status: string, codes: readonly ErrorCode[]): string {
  const [only, ...others] = codes;
  const meaning = others.length === 0 && only ? ` ${only}: ${errorCodes[only].when}.` : "";
  return `${STATUS_CODES[status]}.${meaning || ` The problem's \`code\` is one of ${[...codes].sort().join(", ")}.`}`;
}
