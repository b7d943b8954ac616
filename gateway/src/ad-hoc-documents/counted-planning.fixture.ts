import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { parse } from "graphql";
import { documentLimits, limitProblem } from "../limits/document-limits.js";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { type DocumentAnswer, planDocument } from "./plan-document.js";
import type { PlanningRequest, PlanningSetup } from "./planning-request.js";

export interface CountedAnswer {
  readonly answer: DocumentAnswer | "over a limit";
  /** Calls to JavaScript functions, at any depth. */
  readonly calls: number;
}

interface FunctionCoverage {
  readonly ranges: readonly { readonly count: number }[];
}

/*
 * This file is a worker thread's entry. Counting reads all functions in an isolate. A worker has few functions, but the
 * test process has very many near the end of a test run.
 */
const setup = workerData as PlanningSetup;
const planner = new OperationPlanner(setup.supergraphSdl);
planDocument(planner, { text: "{ __typename }", operationName: undefined }, setup);

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Returns how many calls have happened since the last one. The inspector calls back before `post` returns. */
function takeCalls(): number {
  let calls = 0;
  session.post("Profiler.takePreciseCoverage", (error, answer) => {
    if (error) throw error;
    const functions = answer.result.flatMap<FunctionCoverage>((script) => script.functions);
    for (const { ranges } of functions) calls += ranges[0]?.count ?? 0;
  });
  return calls;
}

/** Counts function calls, because milliseconds are not a reliable measure on a busy machine. */
function counted(request: PlanningRequest): CountedAnswer {
  const { text } = request;
  if (limitProblem(parse(text, { maxTokens: documentLimits.maxTokens }), Buffer.byteLength(text)))
    return { answer: "over a limit", calls: 0 };
  takeCalls();
  const answer = planDocument(planner, request, setup);
  return { answer, calls: takeCalls() };
}

parentPort?.on("message", (request: PlanningRequest) => parentPort?.postMessage(counted(request)));
