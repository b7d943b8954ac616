import { hash } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isFailure } from "./evaluation/compiled-flag.js";
import { EvaluationContext } from "./evaluation/evaluation-context.js";
import type { FlagSet } from "./evaluation/flag-set.js";
import type { FlagSetChange, FlagSets } from "./flag-sets.js";
import type { StreamTickets } from "./stream-tickets.js";

/** An answer of OFREP: a status and JSON text. */
export interface OfrepAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer for all flags. The text is made only where the caller does not have it yet. */
export interface OfrepBulkAnswer {
  /** A strong entity tag of the flags and of the context. */
  readonly tag: string;
  body(): string;
}

type Caller = Pick<Principal, "tenantId">;

/** Evaluates the flags of the caller's tenant in the form of OFREP 0.3.0. A refusal is an answer, too. */
export class FlagEvaluation {
  readonly tickets: StreamTickets;
  readonly #sets: FlagSets;

  constructor(sets: FlagSets, tickets: StreamTickets) {
    this.#sets = sets;
    this.tickets = tickets;
  }

  /** Evaluates one flag. `request` is the parsed body. Throws UNAVAILABLE; see `FlagSets.of`. */
  evaluate(caller: Caller, key: string, request: unknown): OfrepAnswer | Promise<OfrepAnswer> {
    const context = contextOf(request);
    if (!(context instanceof EvaluationContext)) return refusal(400, { key, ...context });
    const set = this.#sets.of(tenantOf(caller));
    return set instanceof Promise ? set.then((loaded) => single(loaded, key, context)) : single(set, key, context);
  }

  /** Evaluates all flags. `stream` is the path of the event stream that tells this caller of changes. */
  async evaluateAll(caller: Caller, request: unknown, stream: string): Promise<OfrepAnswer | OfrepBulkAnswer> {
    const context = contextOf(request);
    if (!(context instanceof EvaluationContext)) return refusal(400, context);
    return bulk(await this.#sets.of(tenantOf(caller)), context, stream);
  }

  /** The version of the flags of a tenant. */
  async versionOf(tenantId: string): Promise<number> {
    return (await this.#sets.of(tenantId)).version;
  }

  /** Calls `tell` once after each change of the flags of a tenant, until the returned function is called. */
  watch(tell: (change: FlagSetChange) => void): () => void {
    return this.#sets.watch(tell);
  }
}

function tenantOf({ tenantId }: Caller): string {
  if (tenantId === undefined)
    throw new DomainError("TENANT_REQUIRED", {
      detail: "The token does not belong to a tenant. Use a token of a client or user of a tenant.",
    });
  return tenantId;
}

interface Failure {
  readonly errorCode: "PARSE_ERROR" | "INVALID_CONTEXT" | "FLAG_NOT_FOUND" | "TARGETING_KEY_MISSING";
  readonly errorDetails: string;
}

const refusal = (status: number, body: Failure & { key?: string }): OfrepAnswer => ({
  status,
  body: JSON.stringify(body),
});

function contextOf(request: unknown): EvaluationContext | Failure {
  if (request !== undefined && (typeof request !== "object" || request === null || Array.isArray(request)))
    return { errorCode: "PARSE_ERROR", errorDetails: "The body must be an object with the member context." };
  const context = EvaluationContext.read((request as { context?: unknown } | undefined)?.context);
  return typeof context === "string" ? { errorCode: "INVALID_CONTEXT", errorDetails: context } : context;
}

function single(set: FlagSet, key: string, context: EvaluationContext): OfrepAnswer {
  const flag = set.find(key);
  if (!flag)
    return refusal(404, { key, errorCode: "FLAG_NOT_FOUND", errorDetails: "The tenant has no flag with this key." });
  const outcome = flag.evaluate(context);
  return { status: isFailure(outcome) ? 400 : 200, body: flag.textOf(outcome) };
}

function bulk({ flags, version }: FlagSet, context: EvaluationContext, stream: string): OfrepBulkAnswer {
  const found = new Uint8Array(flags.length);
  for (let at = 0; at < flags.length; at++) found[at] = flags[at]?.evaluate(context) ?? 0;
  // the outcomes are part of it, since rules about currentTime change them without a change of flags or context
  const covered = `${version} ${stream} ${Buffer.from(found.buffer).toString("latin1")} ${JSON.stringify(context)}`;
  return {
    tag: `"${hash("sha1", covered, "base64url")}"`,
    body() {
      let text = "";
      for (let at = 0; at < flags.length; at++) text += `${at === 0 ? "" : ","}${flags[at]?.textOf(found[at] ?? 0)}`;
      const streams = JSON.stringify([{ type: "sse", endpoint: { requestUri: stream }, inactivityDelaySec: 120 }]);
      return `{"flags":[${text}],"eventStreams":${streams}}`;
    },
  };
}
