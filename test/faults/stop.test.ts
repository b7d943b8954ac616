import { Agent, get } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { accessToken, type ClientCredentials, readJson } from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import WebSocket from "ws";
import { eventually } from "../kit/eventually.js";

interface Ledger {
  answered: number;
  /** The number of failures by error code. ECONNREFUSED means that the request was never sent. */
  readonly failures: Map<string, number>;
}

function fail({ failures }: Ledger, code: string): void {
  failures.set(code, (failures.get(code) ?? 0) + 1);
}

/** A stop ends connections that were idle for a second. */
const shortestGraceMs = 500;

/** Returns a function that tells whether a client was starved since it last asked, so that a stop may have ended its idle connection. */
function pauseWatch(): () => boolean {
  let askedAt = performance.now();
  return () => {
    const wasLong = performance.now() - askedAt > shortestGraceMs;
    askedAt = performance.now();
    return wasLong;
  };
}

/** Sends about ten requests a second over one keep-alive connection until the server no longer listens. */
async function keepAsking(url: string, token: string, ledger: Ledger): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}` };
  const isLateAgain = pauseWatch();
  for (;;) {
    const isLate = isLateAgain();
    const failure = await new Promise<string | undefined>((resolve) => {
      get(url, { agent, headers }, (response) => {
        response
          .resume()
          .once("end", () => resolve(response.statusCode === 200 ? undefined : `${response.statusCode}`));
        response.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      }).once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    if (failure === "ECONNRESET" && isLate) continue;
    if (failure !== undefined) {
      fail(ledger, failure);
      return;
    }
    ledger.answered++;
    await sleep(50 + Math.random() * 100);
  }
}

/**
 * Sends five requests at once, and the next five when all are answered, until an answer has the header `connection:
 * close`.
 */
async function keepPipelining(base: string, token: string, ledger: Ledger): Promise<void> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port) });
  const paths = ["/livez", "/v1/tenants?slug=none", "/.well-known/jwks", "/livez", "/v1/tenants?slug=none"];
  const batch = paths
    .map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
    .join("");
  let received = "";
  let broken: string | undefined;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString();
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    broken = error.code ?? error.message;
  });
  socket.on("close", () => {
    broken ??= "closed";
  });
  const isLateAgain = pauseWatch();
  for (;;) {
    received = "";
    const isLate = isLateAgain();
    socket.write(batch);
    const answers = () => received.split("HTTP/1.1 200 OK").length - 1;
    await eventually("a batch is answered", () => answers() === paths.length || broken !== undefined);
    if (received === "" && isLate) return;
    if (answers() !== paths.length) {
      fail(ledger, broken ?? "missing");
      return;
    }
    ledger.answered += paths.length;
    if (/^connection: close/im.test(received)) break;
    await sleep(20);
  }
  await eventually("the connection ends", () => broken !== undefined);
  if (broken !== "closed") fail(ledger, broken ?? "");
}

describe("SIGTERM under load", () => {
  let dataDir: string;
  let platform: PlatformProcess;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir, { RATE_LIMIT_FACTOR: "1000" });
  });
  afterAll(async () => {
    await platform.stop();
    await removeData(dataDir);
  });

  it("resets no connection, answers every request, closes websockets with 1001 and leaves no process behind", async () => {
    const base = platform.publicUrl;
    const token = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { pid: postgres } = await readJson<{ pid: number }>(dataDir, "postgres.json");
    const keptAlive: Ledger = { answered: 0, failures: new Map() };
    const pipelined: Ledger = { answered: 0, failures: new Map() };
    const socket = new WebSocket(`${base.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const closed = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)));
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
    await new Promise((resolve) => socket.once("message", resolve));
    const clients = [
      ...Array.from({ length: 20 }, () => keepAsking(`${base}/v1/tenants?slug=none`, token, keptAlive)),
      ...Array.from({ length: 4 }, () => keepPipelining(base, token, pipelined)),
    ];
    await eventually("the load runs", () => keptAlive.answered > 100 && pipelined.answered > 100);
    const before = keptAlive.answered;
    expect(await platform.stop()).toBe(0);
    await Promise.all(clients);
    expect(await closed).toBe(1001);
    expect(keptAlive.answered).toBeGreaterThan(before);
    expect([...keptAlive.failures]).toEqual([["ECONNREFUSED", 20]]);
    expect([...pipelined.failures]).toEqual([]);
    expect(() => process.kill(postgres, 0)).toThrow("ESRCH");
  });
});
