import { DomainError } from "@factory/runtime/errors/domain-error";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { definitionFault } from "./definition-fault.js";
import { type Members, membersOf } from "./json-members.js";
import { leftOutTool, maxLeftOut } from "./left-out-tool.js";
import { placeOf, plainJson } from "./sent-numbers.js";
import type { SessionFacts } from "./session-facts.js";

/** A request whose answer is read before the protocol's client sees it. */
export interface AskedRequest {
  readonly id: unknown;
  readonly method: string;
}

const readMethods: readonly string[] = ["tools/list", "tools/call"];

/** The request in a message to a server whose answer is to be read; undefined for any other message. */
export function askedRequest(message: unknown, facts: SessionFacts): AskedRequest | undefined {
  const { id, method } = membersOf(message) ?? {};
  if (method === "tools/call") facts.called = true;
  return typeof method === "string" && readMethods.includes(method) ? { id, method } : undefined;
}

/** Whether a message ends a request, with a result or an error. */
export const isAnswerTo = (message: unknown, { id }: AskedRequest): boolean =>
  withPlainNumbers(membersOf(message)?.["id"]) === id;

/**
 * Reads a server's message before the protocol's client does, which refuses a whole answer because of one member.
 * Returns the message for the client: a list without the tools that cannot be offered, and a tool's result without its
 * content, which the session's facts keep as it came. The client must not refuse what a tool has done.
 */
export function readAnswer(message: unknown, { id, method }: AskedRequest, facts: SessionFacts): unknown {
  const answer = membersOf(message);
  const result = membersOf(answer?.["result"]);
  if (!answer || !isAnswerTo(message, { id, method })) return message;
  if (method === "tools/list") return result ? messageWith(id, withPlainNumbers(readableList(result, facts))) : message;
  if (!Object.hasOwn(answer, "result") || membersOf(answer["error"])) return message;
  if (result?.["resultType"] === "input_required") {
    facts.refusal ??= asksForInput();
    return message;
  }
  facts.result = { value: answer["result"] };
  return messageWith(id, { resultType: "complete", content: [] });
}

const messageWith = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });

/** The list in the form that the client expects. Freshness in another form counts as none. */
function readableList(result: Members, facts: SessionFacts): Members {
  const isFormer = result["resultType"] === undefined;
  const { tools, nextCursor, ttlMs: sentMs, cacheScope, ...rest } = result;
  if (!Array.isArray(tools)) return result;
  const ttlMs = withPlainNumbers(sentMs);
  const isFresh = typeof ttlMs === "number" && Number.isSafeInteger(ttlMs) && ttlMs >= 0;
  const scope = cacheScope === "public" ? "public" : "private";
  return {
    ...rest,
    tools: tools.flatMap((tool: unknown) => offeredTool(tool, isFormer, facts)),
    ...(typeof nextCursor === "string" && { nextCursor }),
    ...(isFresh ? { ttlMs, cacheScope: scope } : !isFormer && { ttlMs: defaultFreshMs, cacheScope: scope }),
  };
}

/** A list without a valid `ttlMs` counts for a minute. */
export const defaultFreshMs = 60_000;

/** The members in a tool that have a meaning here, or none for a tool that is left out. */
function offeredTool(value: unknown, isFormer: boolean, { leftOut, offered }: SessionFacts): Members[] {
  const tool = membersOf(value);
  const fault = tool ? definitionFault(tool, isFormer) : "The entry of the list is not an object.";
  if (tool && fault === undefined) {
    const { name, title, description, inputSchema, outputSchema, annotations } = tool;
    const parts = { name, title, description, inputSchema, outputSchema, annotations };
    return [{ ...plainJson(parts), _meta: placeOf(offered.push(parts) - 1) }];
  }
  if (leftOut.length < maxLeftOut) leftOut.push(leftOutTool(tool?.["name"], fault ?? ""));
  return [];
}

const asksForInput = () =>
  new DomainError("UPSTREAM_FAILED", {
    detail: "The tool asks for further input before it goes on, which the platform cannot give.",
  });
