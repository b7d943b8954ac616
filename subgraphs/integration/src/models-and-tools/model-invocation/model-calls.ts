import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { Cause } from "@factory/runtime/messages/envelope";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Fallback, Usage } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { LateEnds } from "../../runs/held/late-ends.js";
import { runErrorOf } from "../../runs/run-operations.js";
import { type ModelRuns, runCancelled } from "./model-run.js";
import type { ModelFailure, ModelOutcome, Try } from "./model-run-end.js";
import type { ModelCapability, ModelTarget, ModelTargetFinder } from "./model-targets.js";
import { askInTurn } from "./model-tries.js";
import type { ModelCall } from "./model-vendor.js";
import type { ModelOperation, ModelRun } from "./run-beginnings.js";
import { TokenMeter } from "./token-meter.js";

interface Services {
  readonly targets: ModelTargetFinder;
  readonly runs: ModelRuns;
  readonly lateEnds: LateEnds;
  /** The milliseconds that a call may take, its fallback included. */
  readonly callMs: number;
}

/** The caller behind a model call. */
export interface Invoker {
  /** Is aborted when the caller cancels, and at its deadline. */
  readonly signal: AbortSignal;
  /** Takes the run's id as soon as there is one. */
  readonly onRun: (runId: string) => void;
}

/** A call to be made as a run. */
interface Invocation<Answer extends Answered> {
  readonly operation: ModelOperation;
  readonly capability: ModelCapability;
  /** An estimate. */
  readonly promptTokens: number;
  /** The most tokens that the answer may have. */
  readonly answerTokens: number;
  readonly request: { readonly connectionId: string; readonly model: string; readonly fallback?: Fallback | undefined };
  /** The answer as it is stored for a tenant that keeps content. */
  readonly contentOf: (answer: Answer) => unknown;
  readonly ask: (call: ModelCall, target: ModelTarget) => Promise<Answer>;
}

interface Answered {
  readonly usage: Usage | undefined;
  readonly finishReason?: string;
}

interface Invoked<Answer> {
  readonly answer: Answer;
  readonly runId: string;
  readonly connectionId: string;
}

/** Makes model calls as runs, which tell about a call without its content. */
export class ModelCalls {
  readonly #services: Services;
  readonly #stopping = new AbortController();
  readonly #active = new Set<Promise<unknown>>();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Ends the calls that are under way, and waits until their runs have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new DomainError("UNAVAILABLE", { detail: "The platform is stopping. Try again later." }));
    await Promise.allSettled(this.#active);
  }

  /** Throws CONNECTION_NOT_FOUND, CAPABILITY_MISSING, RUN_CANCELLED, and what vendor calls throw. */
  invoke<Answer extends Answered>(
    context: RequestContext,
    invoker: Invoker,
    invocation: Invocation<Answer>,
  ): Promise<Invoked<Answer>> {
    this.#stopping.signal.throwIfAborted();
    const work = this.#run(context, invoker, invocation);
    this.#active.add(work);
    const forget = () => this.#active.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #run<Answer extends Answered>(
    context: RequestContext,
    invoker: Invoker,
    { operation, capability, request, promptTokens, answerTokens, contentOf, ask }: Invocation<Answer>,
  ): Promise<Invoked<Answer>> {
    const { targets, runs, callMs } = this.#services;
    const [tenant, cause] = [tenantOf(context), causeOf(context)];
    const targetsFound = await targets.find(tenant, request, capability);
    const tokens = promptTokens + answerTokens;
    const run = await runs.begin(tenant, cause, { operation, target: targetsFound.first, tokens, promptTokens });
    const { runId } = run.record;
    const keepsContent = run.contentDays !== null;
    invoker.onRun(runId);
    const cancellation = new AbortController();
    const forget = runs.watch(run, () => cancellation.abort(runCancelled()));
    const signal = AbortSignal.any([invoker.signal, cancellation.signal, this.#stopping.signal]);
    const deadline = performance.now() + callMs;
    const tries: Try[] = [];
    let meter = new TokenMeter(promptTokens);
    // The first model's tokens, while its fallback's budget is asked.
    let first: { readonly usedTokens: number | undefined } | undefined;
    let answer: Answer;
    try {
      const assumption = { targets: targetsFound, state: run.targetState };
      const confirmation = await targets.confirm({ tenant, cause }, request, capability, assumption);
      answer = await askInTurn(confirmation.targets, {
        ...{ signal, tries },
        ask: (target, until, progress) => {
          meter = new TokenMeter(promptTokens);
          const preparedReads = target === confirmation.targets.first ? confirmation.reads : undefined;
          const call = {
            tenant,
            cause,
            runId,
            signal: until,
            deadline,
            progress,
            meter,
            keepsContent,
            prepared: preparedReads,
          };
          return ask(call, target);
        },
        beforeFallback: async ({ model }, error) => {
          first = { usedTokens: meter.usedBy(error, false) };
          await runs.moveTo(tenant, cause, run, { model, tokens, promptTokens, ...first });
          first = undefined;
        },
      });
      failpoint("models.answered");
    } catch (error) {
      const { usedTokens } = first ?? { usedTokens: meter.usedBy(error, signal.aborted) };
      const exchange = { request, answer: null };
      const outcome = { tries, usage: meter.usage, finishReason: "", usedTokens, exchange };
      const failure = invoker.signal.aborted ? callerGone : ({ status: "Failed", ...runErrorOf(error) } as const);
      await this.#stored(run, outcome, (runEnd) => runs.fail(tenant, cause, run, failure, runEnd));
      throw error;
    } finally {
      forget();
    }
    const { usage, finishReason = "" } = answer;
    const exchange = { request, answer: contentOf(answer) };
    const outcome = { tries, usage, finishReason, usedTokens: meter.used(), exchange };
    const isStored = await this.#stored(run, outcome, (runEnd) => runs.complete(tenant, cause, run, runEnd));
    if (isStored === "gone") throw runCancelled();
    return { answer, runId, connectionId: tries.at(-1)?.connectionId ?? request.connectionId };
  }

  /**
   * The caller gets its answer, which it has paid for, also when the database does not answer any more. The run then ends
   * later, without the content: many prompts would fill the memory meanwhile.
   */
  async #stored(
    { record: { runId } }: ModelRun,
    { exchange, ...outcome }: ModelOutcome,
    end: (outcome: ModelOutcome) => Promise<boolean>,
  ): Promise<"stored" | "gone" | "late"> {
    try {
      return (await end({ ...outcome, exchange })) ? "stored" : "gone";
    } catch (error) {
      this.#services.lateEnds.add(runId, error, () => end(outcome));
      return "late";
    }
  }
}

const callerGone: ModelFailure = {
  status: "Cancelled",
  code: "CALL_CANCELLED",
  detail: "The caller cancelled the call, or its deadline was over.",
};

function causeOf(context: RequestContext): Cause {
  const { trace, correlationId, causationId } = context;
  const principal = principalOf(context);
  return { trace, correlationId, causationId, actorId: principal.subject, principal, origin: originOf(context) };
}
