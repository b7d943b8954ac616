import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "@factory/gateway/standalone/platform-api";

import { type Figures, percentile } from "./report.js";
import type { Stage } from "./stage.js";

const eventsPerSecond = 50;
const arrivalTimeoutMs = 30_000;
const namePrefix = "event-";

interface TemplateEvent {
  readonly id: string;
  readonly time: string;
  readonly data: { readonly name: string };
}

/** From the moment an event says it occurred, inside its transaction, to its arrival at a webhook receiver. */
export async function webhookLatency({ platform, token }: Stage, seconds: number): Promise<Figures> {
  // by event, since delivery is at least once
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const arrived = Date.now();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(204).end();
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8")) as TemplateEvent;
      if (event.data.name.startsWith(namePrefix) && !arrivals.has(event.id))
        arrivals.set(event.id, arrived - Date.parse(event.time));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  const post = (path: string, body: unknown) => call("POST", platform.publicUrl + path, { token, body });
  try {
    await post("/webhooks/subscriptions", {
      eventType: "TemplateRegistered",
      endpointUrl,
      signingSecretRef: "bench-webhooks",
    });
    const sent = eventsPerSecond * seconds;
    const start = Date.now();
    const answers: Promise<unknown>[] = [];
    for (let place = 0; place < sent; place += 1) {
      await sleep(Math.max(0, start + (place * 1000) / eventsPerSecond - Date.now()));
      answers.push(post("/v1/templates", { name: `${namePrefix}${place}`, category: "Service" }));
    }
    await Promise.all(answers);
    const deadline = Date.now() + arrivalTimeoutMs;
    while (arrivals.size < sent && Date.now() < deadline) await sleep(50);
    const latenciesMs = [...arrivals.values()];
    return {
      title: `Event to webhook receiver at ${eventsPerSecond} events/s`,
      values: {
        sent,
        arrived: latenciesMs.length,
        "p50 ms": percentile(latenciesMs, 0.5),
        "p95 ms": percentile(latenciesMs, 0.95),
        "p99 ms": percentile(latenciesMs, 0.99),
      },
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
