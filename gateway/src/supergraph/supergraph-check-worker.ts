import { parentPort, workerData } from "node:worker_threads";
import { judgeSupergraph } from "./judge-supergraph.js";
import type { SupergraphCheck } from "./supergraph-check.js";

parentPort?.postMessage(judgeSupergraph(workerData as SupergraphCheck));
