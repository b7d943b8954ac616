import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Requests `/livez` ten times a second in a thread of its own, so that a busy driver does not look like a busy
 * platform.
 */
const { url } = workerData as { url: string };
const agent = new Agent({ keepAlive: true });
const intervalMs = 100;
const timeoutMs = 30_000;

let watching = false;
let failed = 0;
let latenciesMs: number[] = [];

parentPort?.on("message", (order: "watch" | "rest" | "report") => {
  watching = order === "watch";
  if (order === "rest") parentPort?.postMessage("resting");
  if (order !== "report") return;
  parentPort?.postMessage({ latenciesMs, failed });
  latenciesMs = [];
  failed = 0;
});

setInterval(() => {
  if (!watching) return;
  const started = performance.now();
  const asked = request(`${url}/livez`, { agent, timeout: timeoutMs }, (response) => {
    response.resume();
    response.on("end", () => latenciesMs.push(performance.now() - started));
  });
  asked.on("timeout", () => asked.destroy(new Error("no answer")));
  asked.on("error", () => {
    if (watching) failed += 1;
  });
  asked.end();
}, intervalMs);
