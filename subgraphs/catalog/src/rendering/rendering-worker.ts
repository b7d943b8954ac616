import { parentPort } from "node:worker_threads";
import { answerRequest } from "./answer-request.js";
import type { RenderingRequest } from "./rendering-request.js";

/** Entry of a worker thread: one request at a time. The first message says that it is ready. */
parentPort?.on("message", (request: RenderingRequest) => void reply(request));
await warmUp();
parentPort?.postMessage("ready");

/** The first check of a thread compiles the meta-schema; no caller's time limit should pay for that. */
async function warmUp(): Promise<void> {
  await answerRequest({ kind: "parameters", schema: { type: "object" }, parameters: {} });
}

async function reply(request: RenderingRequest): Promise<void> {
  const answer = await answerRequest(request);
  const memory = answer.kind === "rendered" ? answer.tree.memory : undefined;
  parentPort?.postMessage(answer, memory instanceof ArrayBuffer ? [memory] : []);
}
