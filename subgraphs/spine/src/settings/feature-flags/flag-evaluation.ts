import { hash } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import { doAtOnce, type LongWork, longWork, type PausableWork } from "@factory/runtime/threads/long-work";
import { isFailure } from "./evaluation/compiled-flag.js";
import { EvaluationContext } from "./evaluation/evaluation-context.js";
import { type FlagSet, outcomesOf } from "./evaluation/flag-set.js";
import type { FlagSetChange, FlagSets } from "./flag-sets.js";
import type { StreamTickets } from "./stream-tickets.js";

/** An OFREP answer: a status and JSON text. */
export interface OfrepAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answer for all flags. The text is made only where the caller does not have it yet. */
export interface OfrepBulkAnswer {
  /** A strong entity tag for the flags and the context. */
  readonly tag: string;
  body(): string | Promise<string>;
}

/** The parts of its request that an evaluation of all flags needs. */
export interface BulkRequest {
  /** The path to the event stream that tells this caller about changes. */
  readonly stream: string;
  /** Counts rate limit points beside the one that every request costs. */
  charge(points: number): Promise<void>;
}

/** The answer's text may pause after so many flags. */
const flagsBetweenPauses = 250;
/** The comparisons that one rate limit point pays for. */
const stepsPerPoint = 1000;
/** The steps in a set that is evaluated at once. A separate turn would cost an ordinary request a tenth more CPU. */
const stepsAtOnce = 400;

type Caller = Pick<Principal, "tenantId">;

/** Evaluates the flags for the caller's tenant in the form that OFREP 0.3.0 defines. A refusal is an answer, too. */
export class FlagEvaluation {
  readonly tickets: StreamTickets;
  readonly #sets: Pick<FlagSets, "of" | "watch">;
  readonly #work: Pick<LongWork, "run">;

  constructor(sets: Pick<FlagSets, "of" | "watch">, tickets: StreamTickets, work: Pick<LongWork, "run"> = longWork) {
    this.#sets = sets;
    this.#work = work;
    this.tickets = tickets;
  }

  /** Evaluates one flag. `request` is the parsed body. Throws UNAVAILABLE; see `FlagSets.of`. */
  evaluate(caller: Caller, key: string, request: unknown): OfrepAnswer | Promise<OfrepAnswer> {
    const context = contextOf(request);
    if (!(context instanceof EvaluationContext)) return refusal(400, { key, ...context });
    const set = this.#sets.of(tenantOf(caller));
    return set instanceof Promise
      ? set.then((loadedSet) => single(loadedSet, key, context))
      : single(set, key, context);
  }

  /**
   * Evaluates all flags. It costs a point for each thousand comparisons that the rules may make, where each flag counts
   * as one more. They are charged before the work, so that simultaneous requests know about them.
   */
  async evaluateAll(caller: Caller, body: unknown, request: BulkRequest): Promise<OfrepAnswer | OfrepBulkAnswer> {
    const context = contextOf(body);
    if (!(context instanceof EvaluationContext)) return refusal(400, context);
    const tenantId = tenantOf(caller);
    const set = await this.#sets.of(tenantId);
    const points = Math.ceil(set.steps / stepsPerPoint);
    if (points > 1) await request.charge(points - 1);
    const run: RunWork = (work) => (set.steps > stepsAtOnce ? this.#work.run(tenantId, work) : doAtOnce(work));
    return bulk(set, await run(outcomesOf(set, context)), { context, stream: request.stream, run });
  }

  /** The version of a tenant's flags. */
  async versionOf(tenantId: string): Promise<number> {
    return (await this.#sets.of(tenantId)).version;
  }

  /** Calls `tell` once after each change to a tenant's flags, until the returned function is called. */
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
  if (request !== undefined && !isObject(request))
    return { errorCode: "PARSE_ERROR", errorDetails: "The body must be an object with the member context." };
  const context = EvaluationContext.read((request as { context?: unknown } | undefined)?.context);
  return typeof context === "string" ? { errorCode: "INVALID_CONTEXT", errorDetails: context } : context;
}

const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);

function single(set: FlagSet, key: string, context: EvaluationContext): OfrepAnswer {
  const flag = set.find(key);
  if (!flag)
    return refusal(404, { key, errorCode: "FLAG_NOT_FOUND", errorDetails: "The tenant has no flag with this key." });
  const outcome = flag.evaluate(context);
  return { status: isFailure(outcome) ? 400 : 200, body: flag.textOf(outcome) };
}

type RunWork = <Result>(work: PausableWork<Result>) => Result | Promise<Result>;

interface Asked {
  readonly context: EvaluationContext;
  readonly stream: string;
  readonly run: RunWork;
}

function bulk(set: FlagSet, outcomeIndexes: Uint8Array, { context, stream, run }: Asked): OfrepBulkAnswer {
  // the outcomes are part of it, since rules about currentTime change them while flags and context stay the same
  const outcomes = Buffer.from(outcomeIndexes.buffer).toString("latin1");
  const taggedText = `${set.version} ${stream} ${outcomes} ${JSON.stringify(context)}`;
  return {
    tag: `"${hash("sha1", taggedText, "base64url")}"`,
    body: () => run(bulkText(set, outcomeIndexes, stream)),
  };
}

function* bulkText({ flags }: FlagSet, outcomeIndexes: Uint8Array, stream: string): PausableWork<string> {
  const streams = JSON.stringify([{ type: "sse", endpoint: { requestUri: stream }, inactivityDelaySec: 120 }]);
  let texts = "";
  for (let at = 0; at < flags.length; at += 1) {
    texts += `${at === 0 ? "" : ","}${flags[at]?.textOf(outcomeIndexes[at] ?? 0)}`;
    if (at % flagsBetweenPauses === flagsBetweenPauses - 1) yield;
  }
  return `{"flags":[${texts}],"eventStreams":${streams}}`;
}
