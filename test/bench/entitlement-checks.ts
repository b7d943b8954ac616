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
import { CheckRequest, CheckResponse } from "@factory/schema/proto/generated/factory/spine/v1/entitlements";
import type { BareGrpcOrder } from "./bare-grpc-server.js";
import type { Stage } from "./bench-platform.js";
import { cpuOf, cpuOfFamily } from "./cpu-time.js";
import { type GrpcTarget, grpcCall, grpcLoad, grpcSession } from "./grpc-load.js";
import type { Rounds, Shot } from "./interleave.js";
import { type Figures, percentile } from "./report.js";

/** The goal: at least this share of the calls that a bare grpc-js server answers in a second. */
const goalShare = 0.7;
const path = "/spine.v1.Entitlements/Check";

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly target: GrpcTarget;
}

/** Measures checks without consumption, beside a server that echoes equally large messages over the same mutual TLS. */
export async function entitlementChecks(
  stage: Stage,
  { rounds, seconds, warmUpSeconds, postgresPid }: Rounds,
): Promise<Figures> {
  const { platform } = stage;
  const tls = join(platform.dataDir, "tls");
  const { grpcAddress: address } = await readJson<{ grpcAddress: string }>(platform.dataDir, "runtime.json");
  const authorization = `Bearer ${await activatedToken(stage)}`;
  const targetOf = (featureKey: string): GrpcTarget => ({
    ...{ address, tls, path, authorization },
    message: CheckRequest.encode(CheckRequest.fromPartial({ featureKey })).finish(),
  });
  const meteredTarget = targetOf("executions.monthly");
  const answer = await answerOf(meteredTarget);
  const bare = await startBareServer({ tls, path, answer: answer.toString("base64") });
  const servers: Server[] = [
    { name: "bare grpc-js echo", pid: bare.pid, target: { ...meteredTarget, address: bare.address } },
    { name: "Check, metered feature", pid: platform.pid, target: meteredTarget },
    { name: "Check, feature without usage", pid: platform.pid, target: targetOf("webhooks.max") },
  ];
  const shots = new Map<string, Shot[]>(servers.map(({ name }) => [name, []]));
  try {
    for (const server of servers) await shoot(server, warmUpSeconds, postgresPid);
    for (let round = 0; round < rounds; round += 1)
      for (const server of servers) shots.get(server.name)?.push(await shoot(server, seconds, postgresPid));
  } finally {
    bare.stop();
  }
  return figuresOf(servers, shots);
}

/** Each server's medians; a share is taken in each round, between shots that follow each other. */
function figuresOf(servers: readonly Server[], shots: ReadonlyMap<string, readonly Shot[]>): Figures {
  const values: Record<string, number> = {};
  const shotsOf = (place: number) => shots.get(servers[place]?.name ?? "") ?? [];
  const median = (times: readonly number[]) => percentile(times, 0.5);
  const shareOf = (place: number) =>
    median(shotsOf(place).map((shot, round) => shot.requestsPerSecond / (shotsOf(0)[round]?.requestsPerSecond ?? 0)));
  for (const [place, { name }] of servers.entries()) {
    values[`${name}, calls/s`] = median(shotsOf(place).map(({ requestsPerSecond }) => requestsPerSecond));
    values[`${name}, CPU us/call`] = median(shotsOf(place).map(({ cpuPerRequest }) => cpuPerRequest));
    values[`${name}, PostgreSQL CPU us/call`] = median(shotsOf(place).map((shot) => shot.postgresCpuPerRequest));
  }
  const shares = [shareOf(1), shareOf(2)];
  const verdict = shares.every((share) => share >= goalShare) ? "met" : "MISSED";
  return {
    title: "Entitlements/Check without consume over gRPC",
    values,
    verdict: `goal: at least ${goalShare}x of the calls/s of the bare server; result: ${shares.map((share) => `${share.toFixed(2)}x`).join(" and ")}, ${verdict}`,
  };
}

async function shoot({ pid, target }: Server, seconds: number, postgresPid: number): Promise<Shot> {
  const before = [await cpuOf(pid), await cpuOfFamily(postgresPid)] as const;
  const load = await grpcLoad(target, seconds);
  const after = [await cpuOf(pid), await cpuOfFamily(postgresPid)] as const;
  return {
    cpuPerRequest: (after[0] - before[0]) / load.calls,
    postgresCpuPerRequest: (after[1] - before[1]) / load.calls,
    requestsPerSecond: load.calls / load.seconds,
    p50Ms: percentile(load.takenMs, 0.5),
    p99Ms: percentile(load.takenMs, 0.99),
  };
}

async function answerOf(target: GrpcTarget): Promise<Buffer> {
  const session = grpcSession(target);
  const answer = await grpcCall(session, target);
  session.close();
  if (!CheckResponse.decode(answer).allowed) throw new Error("The check was refused");
  return answer;
}

/** A token for a client that may check entitlements, after the tenant's plan was activated. */
async function activatedToken({ platform, tenantUuid }: Stage): Promise<string> {
  const admin = await accessToken(platform, await readJson<ClientCredentials>(platform.dataDir, "bootstrap.json"));
  const scopes = ["entitlement.check", "subscription.read", "subscription.manage"] as const;
  const client = await createTenantClient(platform, admin, encodeId("ten", tenantUuid), { name: "checks", scopes });
  const token = await accessToken(platform, client);
  const list = await call<{ items: { subscriptionId: string }[] }>("GET", `${platform.publicUrl}/v1/subscriptions`, {
    token,
  });
  const id = list.body.items[0]?.subscriptionId;
  await call("POST", `${platform.publicUrl}/v1/subscriptions/${id}/activate`, { token, body: {} });
  return token;
}

async function startBareServer(order: BareGrpcOrder) {
  const child = fork(fileURLToPath(new URL("bare-grpc-server.js", import.meta.url)));
  child.send(order);
  const [port] = (await once(child, "message")) as [number];
  return { address: `127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill() };
}
