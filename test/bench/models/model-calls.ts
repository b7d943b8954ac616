import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  accessToken,
  type ClientCredentials,
  call,
  createTenantClient,
  readJson,
} from "@factory/platform/client/platform-api";
import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { CompleteRequest } from "@factory/schema/proto/generated/factory/model/v1/model_invocation";
import type { Stage } from "../bench-platform.js";
import { cpuOf, cpuOfFamily } from "../cpu-time.js";
import { firstMessageMs, type GrpcTarget, grpcLoad, grpcSession } from "../grpc-load.js";
import type { Rounds, Shot } from "../interleave.js";
import { type Figures, percentile } from "../report.js";
import type { BareProxyOrder } from "./bare-proxy.js";

/** The goals: this share of a bare proxy's calls per second, and its first token at most so much later. */
const goalShare = 0.6;
const goalMs = 3;
const scopes = [
  ...(["integration.models.invoke", "integration.providers.write", "integration.connections.write"] as const),
  ...(["integration.credentials.write", "config.manage"] as const),
] as const;
const streamsPerRound = 100;
const service = "/svc.model.v1.ModelInvocation";

interface Proxy {
  readonly name: string;
  readonly pid: number;
  readonly complete: GrpcTarget;
  readonly stream: GrpcTarget;
}

/** Measures Complete and Stream's first token, beside a proxy to the same vendor over the same mutual TLS. */
export async function modelCalls(
  stage: Stage,
  { rounds, seconds, warmUpSeconds, postgresPid }: Rounds,
): Promise<Figures> {
  const { platform } = stage;
  const tls = join(platform.dataDir, "tls");
  const { grpcAddress } = await readJson<{ grpcAddress: string }>(platform.dataDir, "runtime.json");
  const vendor = await started("vendor.js", undefined);
  const baseUrl = `http://127.0.0.1:${vendor.port}/v1`;
  const order: BareProxyOrder = { tls, vendor: baseUrl };
  const bare = await started("bare-proxy.js", order);
  const { token, connectionId } = await aModelConnection(stage, baseUrl);
  const messages = [{ role: "user", content: "How are you? ".repeat(40) }];
  const request = CompleteRequest.fromPartial({ connectionId, model: "bench", messages, maxTokens: 100 });
  const message = CompleteRequest.encode(request).finish();
  const proxyAt = (name: string, pid: number, address: string): Proxy => {
    const target = { address, tls, authorization: `Bearer ${token}`, message };
    return {
      name,
      pid,
      complete: { ...target, path: `${service}/Complete` },
      stream: { ...target, path: `${service}/Stream` },
    };
  };
  const proxies = [
    proxyAt("bare grpc-js proxy", bare.pid, `127.0.0.1:${bare.port}`),
    proxyAt("platform", platform.pid, grpcAddress),
  ];
  const shots = new Map<string, Shot[]>(proxies.map(({ name }) => [name, []]));
  const firsts = new Map<string, number[]>(proxies.map(({ name }) => [name, []]));
  try {
    for (const proxy of proxies) await shoot(proxy, warmUpSeconds, postgresPid);
    for (let round = 0; round < rounds; round += 1) {
      for (const proxy of proxies) shots.get(proxy.name)?.push(await shoot(proxy, seconds, postgresPid));
      await firstTokens(proxies, firsts);
    }
  } finally {
    bare.stop();
    vendor.stop();
  }
  return figuresOf(proxies, shots, firsts);
}

/** One stream after the other, the proxies in turn, so that other load on the machine affects both equally. */
async function firstTokens(proxies: readonly Proxy[], firsts: ReadonlyMap<string, number[]>): Promise<void> {
  const sessions = proxies.map(({ stream }) => grpcSession(stream));
  for (let count = 0; count < streamsPerRound; count += 1)
    for (const [place, { name, stream }] of proxies.entries()) {
      const session = sessions[place];
      if (session) firsts.get(name)?.push(await firstMessageMs(session, stream));
    }
  for (const session of sessions) session.close();
}

function figuresOf(
  proxies: readonly Proxy[],
  shots: ReadonlyMap<string, readonly Shot[]>,
  firsts: ReadonlyMap<string, readonly number[]>,
): Figures {
  const values: Record<string, number> = {};
  const shotsOf = (place: number) => shots.get(proxies[place]?.name ?? "") ?? [];
  const firstOf = (place: number) => percentile(firsts.get(proxies[place]?.name ?? "") ?? [], 0.5);
  const median = (times: readonly number[]) => percentile(times, 0.5);
  for (const [place, { name }] of proxies.entries()) {
    values[`${name}, calls/s`] = median(shotsOf(place).map(({ requestsPerSecond }) => requestsPerSecond));
    values[`${name}, CPU us/call`] = median(shotsOf(place).map(({ cpuPerRequest }) => cpuPerRequest));
    values[`${name}, PostgreSQL CPU us/call`] = median(shotsOf(place).map((shot) => shot.postgresCpuPerRequest));
    values[`${name}, p50 ms`] = median(shotsOf(place).map(({ p50Ms }) => p50Ms));
    values[`${name}, first token p50 ms`] = firstOf(place);
  }
  const share = median(
    shotsOf(1).map((shot, round) => shot.requestsPerSecond / (shotsOf(0)[round]?.requestsPerSecond ?? Number.NaN)),
  );
  const behindMs = firstOf(1) - firstOf(0);
  const verdictOf = (isMet: boolean) => (isMet ? "met" : "MISSED");
  return {
    title: "Models over gRPC: Complete, and the first token of Stream",
    values,
    verdict: `goals: at least ${goalShare}x of the calls/s of the bare proxy: ${share.toFixed(2)}x, ${verdictOf(share >= goalShare)}; first token at most ${goalMs} ms behind: ${behindMs.toFixed(2)} ms, ${verdictOf(behindMs <= goalMs)}`,
  };
}

async function shoot({ pid, complete }: Proxy, seconds: number, postgresPid: number): Promise<Shot> {
  const before = [await cpuOf(pid), await cpuOfFamily(postgresPid)] as const;
  const load = await grpcLoad(complete, seconds);
  const after = [await cpuOf(pid), await cpuOfFamily(postgresPid)] as const;
  return {
    cpuPerRequest: (after[0] - before[0]) / load.calls,
    postgresCpuPerRequest: (after[1] - before[1]) / load.calls,
    requestsPerSecond: load.calls / load.seconds,
    p50Ms: percentile(load.takenMs, 0.5),
    p99Ms: percentile(load.takenMs, 0.99),
  };
}

/** A connection to the vendor, whose tenant has a budget that no bench uses up. */
async function aModelConnection({ platform, tenantUuid }: Stage, baseUrl: string) {
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const client = await createTenantClient(platform, admin, encodeId("ten", tenantUuid), { name: "models", scopes });
  const token = await accessToken(platform, client);
  const send = async (method: "POST" | "PUT", path: string, body: unknown) =>
    (await call<Record<string, string>>(method, platform.publicUrl + path, { token, body })).body;
  const budget = { requests: 1_000_000_000, tokens: 1_000_000_000_000, perSeconds: 60 };
  await send("PUT", "/v1/config/models.budgets", { value: { "*": budget } });
  await send("POST", "/integrations/credentials", { name: "model", kind: "BearerToken", secret: { token: "good" } });
  const { providerId } = await send("POST", "/integrations/providers", {
    ...{ key: "bench-models", displayName: "Models", category: "Model", authModel: "BearerToken", baseUrl },
    capabilities: ["model.complete", "model.stream"],
  });
  const { connectionId = "" } = await send("POST", "/integrations/connections", {
    ...{ providerId, displayName: "Models", authMode: "BearerToken", credentialRef: "model" },
  });
  return { token, connectionId };
}

async function started(script: string, order: unknown) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)));
  if (order !== undefined) child.send(order as object);
  const [port] = (await once(child, "message")) as [number];
  return { port, pid: child.pid ?? 0, stop: () => child.kill() };
}
