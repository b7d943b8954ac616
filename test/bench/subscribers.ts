import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "@factory/platform/client/platform-api";
import WebSocket from "ws";
import type { Stage } from "./bench-platform.js";
import { cpuOf } from "./cpu-time.js";
import { type Figures, percentile } from "./report.js";

const sockets = 20;
const subscriptionsPerSocket = 50;
const subscribers = sockets * subscriptionsPerSocket;
const events = 30;
const warmUpEvents = 30;
const goalMs = 50;
const arrivalTimeoutMs = 30_000;

const joinedDocument = `subscription { events(types: ["TemplateRegistered"]) { type cursor subject { ... on Template { name category } } } }`;
// this subscription has no join and is the first, so it shows when the hub sends an event
const plainDocument = `subscription { events(types: ["TemplateRegistered"]) { time } }`;

/**
 * Measures the time from the moment at which the hub sends an event to its last frame, for equal subscribers whose
 * event is joined.
 */
export async function subscriberFanOut({ platform, token }: Stage): Promise<Figures> {
  const url = `${platform.publicUrl.replace("http", "ws")}/graphql`;
  const arrivals = { first: 0, last: 0, occurred: 0, frames: 0 };
  const probe = await opened(url, token, (text) => {
    arrivals.first = performance.now();
    arrivals.occurred =
      Date.parse((JSON.parse(text) as ReceivedEvent).payload.data.events.time) - performance.timeOrigin;
  });
  subscribe(probe, plainDocument, 1);
  const crowd = await Promise.all(
    Array.from({ length: sockets - 1 }, () =>
      opened(url, token, () => {
        arrivals.frames += 1;
        arrivals.last = performance.now();
      }),
    ),
  );
  try {
    for (const [place, socket] of crowd.entries())
      subscribe(socket, joinedDocument, subscriptionsPerSocket + (place === 0 ? subscriptionsPerSocket : 0));
    // the protocol has no message that says that a subscription is open
    await sleep(2000);
    const latencyOf = async () => {
      arrivals.frames = 0;
      await call("POST", `${platform.publicUrl}/v1/templates`, {
        token,
        body: { name: `event-${randomUUID()}`, category: "Service" },
      });
      const deadline = performance.now() + arrivalTimeoutMs;
      while (arrivals.frames < subscribers && performance.now() < deadline) await sleep(5);
      if (arrivals.frames !== subscribers) throw new Error(`${arrivals.frames} of ${subscribers} frames arrived`);
      // the next event comes only when nothing else is running
      await sleep(100);
      return { fromHub: arrivals.last - arrivals.first, fromEvent: arrivals.last - arrivals.occurred };
    };
    for (let place = 0; place < warmUpEvents; place += 1) await latencyOf();
    const before = await cpuOf(platform.pid);
    const latencies = [];
    for (let place = 0; place < events; place += 1) latencies.push(await latencyOf());
    const cpuMs = ((await cpuOf(platform.pid)) - before) / 1000 / events;
    const fromHub = latencies.map((latency) => latency.fromHub);
    const p50 = percentile(fromHub, 0.5);
    return {
      title: `Hub to last frame for ${subscribers} equal subscribers`,
      values: {
        "p50 ms": p50,
        "p95 ms": percentile(fromHub, 0.95),
        "event to last frame, p50 ms": percentile(
          latencies.map((latency) => latency.fromEvent),
          0.5,
        ),
        "CPU ms/event": cpuMs,
      },
      verdict: `goal: at most ${goalMs} ms; result: ${p50.toFixed(0)} ms, ${p50 <= goalMs ? "met" : "MISSED"}`,
    };
  } finally {
    for (const socket of [probe, ...crowd]) socket.terminate();
  }
}

interface ReceivedEvent {
  readonly payload: { readonly data: { readonly events: { readonly time: string } } };
}

/** Opens a socket. Resolves when the socket is acknowledged. */
async function opened(url: string, token: string, next: (text: string) => void): Promise<WebSocket> {
  const socket = new WebSocket(url, "graphql-transport-ws");
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", (code) => reject(new Error(`The socket was closed with ${code}`)));
    socket.once("open", () => socket.send(init(token)));
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      if (text.includes('"type":"next"')) next(text);
      else if (text.includes("connection_ack")) resolve();
    });
  });
  return socket;
}

const init = (token: string) =>
  JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });

function subscribe(socket: WebSocket, query: string, times: number): void {
  for (let id = 0; id < times; id += 1)
    socket.send(JSON.stringify({ type: "subscribe", id: `${id}`, payload: { query } }));
}
