import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { aPrincipal } from "../../../integration.fixture.js";
import { anOwnServer, type OwnServer } from "../own-server.fixture.js";
import { ToolCaller } from "../tool-client.fixture.js";

let caller: ToolCaller;
let ownServer: OwnServer;

beforeAll(async () => {
  [caller, ownServer] = await Promise.all([ToolCaller.start(), anOwnServer()]);
  ownServer.ttlMs = 60_000;
});
afterAll(async () => {
  await caller?.stop();
  await ownServer?.close();
});

const trials = 4;
/** On an idle machine it takes less than 100 ms. A call that goes on would end after minutes. */
const limitMs = 5_000;
const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(trials / 2)] ?? Number.NaN;

describe("the socket of a tool server", () => {
  it.each(["cancelled", "deadline"])("is closed soon after the end of its caller: %s", async (end) => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, ownServer.url);
    await caller.list(principal, { connectionId });
    const request = { connectionId, name: "echo", argumentsJson: "", idempotencyKey: "" };
    const client = caller.as("product");
    const times: number[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const callerEnd = new AbortController();
      let [isCalled, endedAt] = [false, Number.NaN];
      const closing = new Promise<number>((resolve) => {
        ownServer.onCall = (_, stream) => {
          isCalled = true;
          const { response } = stream;
          // half of the calls have begun their answer
          if (trial % 2 === 0) stream.progress(1);
          response.on("close", () => resolve(performance.now()));
          if (end === "cancelled")
            setTimeout(() => {
              endedAt = performance.now();
              callerEnd.abort();
            }, 50);
        };
      });
      // a slow machine needs more time to reach the server before the deadline
      for (let timeoutMs = end === "deadline" ? 500 : 20_000; !isCalled; timeoutMs *= 2) {
        const options = { ...caller.headersOf(principal), signal: callerEnd.signal, timeoutMs };
        await client.invokeTool(request, options).catch(() => undefined);
        if (end === "deadline") endedAt = performance.now();
      }
      times.push((await closing) - endedAt);
    }
    expect(median(times)).toBeLessThan(limitMs);
  });

  it("is closed soon after a cancellation during the handshake", async () => {
    const principal = aPrincipal();
    const times: number[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const callerEnd = new AbortController();
      let closedAt: (time: number) => void = () => undefined;
      const closing = new Promise<number>((resolve) => {
        closedAt = resolve;
      });
      let endedAt = Number.NaN;
      const silent = createServer((_, response) => {
        response.on("close", () => closedAt(performance.now()));
        setTimeout(() => {
          endedAt = performance.now();
          callerEnd.abort();
        }, 50);
      });
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
      const connectionId = await caller.connect(principal, url);
      const options = { ...caller.headersOf(principal), signal: callerEnd.signal };
      await caller
        .as("product")
        .listTools({ connectionId }, options)
        .catch(() => undefined);
      times.push((await closing) - endedAt);
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    }
    expect(median(times)).toBeLessThan(limitMs);
  });
});
