import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Requests `/livez` ten times a second in a separate thread, so that a busy driver does not look like a busy platform.
 */
const { url } = workerData as { url: string };
const agent = new Agent({ keepAlive: true });
const intervalMs = 100;
const timeoutMs = 30_000;

let watching = false;
let failures = 0;
let latenciesMs: number[] = [];

parentPort?.on("message", (order: "watch" | "rest" | "report") => {
  watching = order === "watch";
  if (order === "rest") parentPort?.postMessage("resting");
  if (order !== "report") return;
  parentPort?.postMessage({ latenciesMs, failed: failures });
  latenciesMs = [];
  failures = 0;
});

setInterval(() => {
  if (!watching) return;
  const startedAt = performance.now();
  const call = request(`${url}/livez`, { agent, timeout: timeoutMs }, (response) => {
    response.resume();
    response.on("end", () => latenciesMs.push(performance.now() - startedAt));
  });
  call.on("timeout", () => call.destroy(new Error("no answer")));
  call.on("error", () => {
    if (watching) failures += 1;
  });
  call.end();
}, intervalMs);
