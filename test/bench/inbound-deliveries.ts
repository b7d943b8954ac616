import { createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "@factory/platform/client/platform-api";
import { bareSecret } from "./bare-delivery.js";
import type { Stage } from "./bench-platform.js";
import { type Figures, percentile } from "./report.js";

const connections = 32;
const deliveriesPerSecond = 500;
const goals = { share: 0.5, p99Ms: 40 };

interface Target {
  readonly url: string;
  readonly key: string;
  readonly secret: string;
}

let sentCount = 0;

/** Sends one new delivery, and resolves with its time in milliseconds. */
function deliver({ url, key, secret }: Target, agent: Agent): Promise<number> {
  const body = JSON.stringify({
    providerDeliveryId: `bench-${process.pid}-${(sentCount += 1)}`,
    eventName: "widget.created",
    payload: { text: "x".repeat(900) },
  });
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-svc-provider": key,
    "x-hub-signature-256": `sha256=${signature}`,
  };
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const sending = request(`${url}/webhooks/deliveries`, { method: "POST", headers, agent }, (response) => {
      response.resume();
      response.once("end", () =>
        response.statusCode === 202
          ? resolve(performance.now() - startedAt)
          : reject(new Error(`A delivery was answered with ${response.statusCode}`)),
      );
    });
    sending.once("error", reject);
    sending.end(body);
  });
}

/** The deliveries a second that a server takes from 32 connections that send one after the other. */
async function rate(target: Target, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (; performance.now() < end; count += 1) await deliver(target, agent);
    }),
  );
  agent.destroy();
  return (count * 1000) / (performance.now() - startedAt);
}

/** The times to the 202 at a steady rate. */
async function latencies(target: Target, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const times: Promise<number>[] = [];
  const start = performance.now();
  for (let place = 0; place < deliveriesPerSecond * seconds; place += 1) {
    const wait = start + (place * 1000) / deliveriesPerSecond - performance.now();
    if (wait > 1) await sleep(wait);
    times.push(deliver(target, agent));
  }
  const timesMs = await Promise.all(times);
  agent.destroy();
  return timesMs;
}

/**
 * Measures signed deliveries with 1 KiB each: how many a second, compared with a bare fastify that verifies one HMAC
 * and inserts one row, and the time to the 202 at 500 a second.
 */
export async function inboundDeliveries(
  stage: Stage,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Figures> {
  const { platform, bare, token } = stage;
  const post = async (path: string, body: unknown) =>
    (await call<Record<string, string>>("POST", platform.publicUrl + path, { token, body })).body;
  // a comparison between releases repeats the bench on one platform
  const key = `bench-vendor-${randomUUID()}`;
  const { providerId } = await post("/integrations/providers", {
    ...{ key, displayName: key, category: "Other", authModel: "HmacSignature", preset: "webhook" },
  });
  const { signingSecret: secret = "" } = await post("/webhooks/subscriptions", {
    ...{ direction: "Inbound", providerId, signingSecretRef: key },
  });
  const ours = { url: platform.publicUrl, key, secret };
  const theirs = { url: bare.url, key, secret: bareSecret };
  for (const target of [theirs, ours]) await rate(target, 10);
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.theirs.push(await rate(theirs, seconds));
    rates.ours.push(await rate(ours, seconds));
  }
  const times = await latencies(ours, seconds * 2);
  const [bareRate, rateOfOurs] = [percentile(rates.theirs, 0.5), percentile(rates.ours, 0.5)];
  const p99 = percentile(times, 0.99);
  const isMet = rateOfOurs / bareRate >= goals.share && p99 <= goals.p99Ms;
  return {
    title: `Inbound deliveries of 1 KiB, ${connections} connections, and at ${deliveriesPerSecond} a second`,
    values: {
      "bare fastify, deliveries/s": bareRate,
      "platform, deliveries/s": rateOfOurs,
      "share of bare": rateOfOurs / bareRate,
      "p50 ms at the steady rate": percentile(times, 0.5),
      "p99 ms at the steady rate": p99,
    },
    verdict: `goal: at least ${goals.share} of bare and p99 at most ${goals.p99Ms} ms; result: ${isMet ? "met" : "MISSED"}`,
  };
}
