import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import type { JSONWebKeySet } from "jose";
import type { BareClient } from "./bare-authorization-server.js";
import type { Stage } from "./bench-platform.js";
import { interleave, type Rounds } from "./interleave.js";
import { type Figures, percentile, type Table, tableOf } from "./report.js";

/** The goal: at least 0.6 times as many tokens per second as oidc-provider itself. */
const goalRatio = 1 / 0.6;
const goalMicroseconds = 10;
const verifications = 20_000;
const batches = 15;

/** Measures tokens for a service. Our clients are stored in PostgreSQL, oidc-provider's clients in its memory. */
export async function serviceTokens({ platform, client }: Stage, rounds: Rounds): Promise<Table> {
  const scope = "templates.read templates.write templates.execute libraries.read webhooks.subscriptions.write";
  const bare = await startBareServer({ ...client, scope });
  const form = { grant_type: "client_credentials", client_id: client.clientId, client_secret: client.clientSecret };
  const request = {
    method: "POST" as const,
    path: "/connect/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...form, scope }).toString(),
  };
  try {
    const shots = await interleave(
      [
        { name: "bare oidc-provider", url: bare.url, pid: bare.pid, requests: [request] },
        { name: "platform", url: platform.publicUrl, pid: platform.pid, requests: [request] },
      ],
      rounds,
    );
    return tableOf("POST /connect/token for a service", goalRatio, shots);
  } finally {
    bare.stop();
  }
}

/** Measures what it costs to verify a token that was used before. */
export async function knownTokens({ platform, token }: Stage): Promise<Figures> {
  const issuer = platform.publicUrl;
  const keys = async () => (await (await fetch(`${issuer}/.well-known/jwks`)).json()) as JSONWebKeySet;
  const verifier = new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true });
  const first = performance.now();
  await verifier.verify(token);
  const firstMs = performance.now() - first;
  const durations: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const startedAt = performance.now();
    for (let place = 0; place < verifications; place += 1) await verifier.verify(token);
    durations.push(((performance.now() - startedAt) * 1000) / verifications);
  }
  const microseconds = percentile(durations, 0.5);
  const verdict = microseconds <= goalMicroseconds ? "met" : "MISSED";
  return {
    title: "Verification of an access token",
    values: { "first, with the keys, ms": firstMs, "known, us": microseconds },
    verdict: `goal: at most ${goalMicroseconds} us; result: ${verdict}`,
  };
}

async function startBareServer(client: BareClient) {
  const child = fork(fileURLToPath(new URL("bare-authorization-server.js", import.meta.url)));
  child.send(client);
  const [url] = (await once(child, "message")) as [string];
  return { url, pid: child.pid ?? 0, stop: () => child.kill() };
}
