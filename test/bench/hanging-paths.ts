import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "@factory/platform/client/platform-api";
import type { Stage } from "./bench-platform.js";
import type { Figures } from "./report.js";

const events = 100;
/** The requests that make the events at the same time. It divides their number. */
const atOnce = 10;
const goalMs = 5_000;
const patienceMs = 30_000;
const hangingPaths = [1, 5];
const namePrefix = "hanging-";

interface TemplateEvent {
  readonly id: string;
  readonly time: string;
  readonly data: { readonly name: string };
}

/** Measures how many events reach a path in time beside paths on the same host that never answer. */
export async function hangingPathsOfAHost(stage: Stage): Promise<Figures> {
  const values: Record<string, number> = {};
  let isMet = true;
  for (const paths of hangingPaths) {
    const { inTime, lastMs } = await round(stage, paths);
    values[`in time beside ${paths}`] = inTime;
    values[`last ms beside ${paths}`] = lastMs;
    isMet &&= inTime === events;
  }
  return {
    title: `${events} events to a path beside one and five paths of its host that hang`,
    values,
    verdict: `goal: all within ${goalMs} ms; result: ${isMet ? "met" : "MISSED"}`,
  };
}

async function round({ platform, token }: Stage, paths: number): Promise<{ inTime: number; lastMs: number }> {
  const prefix = `${namePrefix}${paths}-`;
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url !== "/good") return;
      const arrivedAt = Date.now();
      response.writeHead(204).end();
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8")) as TemplateEvent;
      if (event.data.name.startsWith(prefix) && !arrivals.has(event.id))
        arrivals.set(event.id, arrivedAt - Date.parse(event.time));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = async <T>(path: string, body: unknown) =>
    (await call<T>("POST", platform.publicUrl + path, { token, body })).body;
  const subscriptionIds: string[] = [];
  try {
    for (const path of [...Array.from({ length: paths }, (_, at) => `/never/${at}`), "/good"]) {
      const { subscriptionId } = await post<{ subscriptionId: string }>("/webhooks/subscriptions", {
        ...{ eventType: "TemplateRegistered", endpointUrl: origin + path, signingSecretRef: "bench-webhooks" },
      });
      subscriptionIds.push(subscriptionId);
    }
    for (let place = 0; place < events; place += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_, at) =>
          post("/v1/templates", { name: `${prefix}${place + at}`, category: "Service" }),
        ),
      );
    const deadline = performance.now() + patienceMs;
    while (arrivals.size < events && performance.now() < deadline) await sleep(20);
    const tookMs = [...arrivals.values()];
    return { inTime: tookMs.filter((ms) => ms <= goalMs).length, lastMs: Math.max(0, ...tookMs) };
  } finally {
    for (const subscriptionId of subscriptionIds) await post(`/webhooks/subscriptions/${subscriptionId}/pause`, {});
    server.closeAllConnections();
    server.close();
  }
}
