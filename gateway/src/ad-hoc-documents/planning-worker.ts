import { parentPort, workerData } from "node:worker_threads";
import { OperationPlanner } from "../query-planner/operation-planner.js";
import { planDocument } from "./plan-document.js";
import type { PlanningAnswer, PlanningRequest, PlanningSetup } from "./planning-request.js";

const setup = workerData as PlanningSetup;
const planner = new OperationPlanner(setup.supergraphSdl);
// This call loads and prepares the planner, so that no client is charged for this time.
planDocument(planner, { text: "{ __typename }", operationName: undefined }, setup);

parentPort?.on("message", (request: PlanningRequest) => {
  const before = process.threadCpuUsage();
  const answer = planDocument(planner, request, setup);
  const { user, system } = process.threadCpuUsage(before);
  parentPort?.postMessage({ ...answer, cpuMs: (user + system) / 1000 } satisfies PlanningAnswer);
});
parentPort?.postMessage("ready");
