import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { aPrincipal } from "../../../integration.fixture.js";
import { anOwnServer, type OwnServer } from "../own-server.fixture.js";
import { ToolCaller } from "../tool-client.fixture.js";

let caller: ToolCaller;
let own: OwnServer;

beforeAll(async () => {
  [caller, own] = await Promise.all([ToolCaller.start(), anOwnServer()]);
  own.ttlMs = 60_000;
});
afterAll(async () => {
  await caller?.stop();
  await own?.close();
});

const trials = 4;
/** On an idle machine it takes less than 100 ms. A call that goes on would end after minutes. */
const limitMs = 5_000;
const median = (taken: readonly number[]) => taken.toSorted((a, b) => a - b)[Math.floor(trials / 2)] ?? Number.NaN;

describe("the socket of a tool server", () => {
  it.each(["cancelled", "deadline"])("is closed soon after the end of its caller: %s", async (end) => {
    const principal = aPrincipal();
    const connectionId = await caller.connect(principal, own.url);
    await caller.list(principal, { connectionId });
    const request = { connectionId, name: "echo", argumentsJson: "", idempotencyKey: "" };
    const client = caller.as("product");
    const taken: number[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const gone = new AbortController();
      let [called, endedAt] = [false, Number.NaN];
      const closed = new Promise<number>((resolve) => {
        own.onCall = (_, stream) => {
          called = true;
          const { response } = stream;
          // half of the calls have begun their answer
          if (trial % 2 === 0) stream.progress(1);
          response.on("close", () => resolve(performance.now()));
          if (end === "cancelled")
            setTimeout(() => {
              endedAt = performance.now();
              gone.abort();
            }, 50);
        };
      });
      // a slow machine needs more time to reach the server before the deadline
      for (let timeoutMs = end === "deadline" ? 500 : 20_000; !called; timeoutMs *= 2) {
        const options = { ...caller.headersOf(principal), signal: gone.signal, timeoutMs };
        await client.invokeTool(request, options).catch(() => undefined);
        if (end === "deadline") endedAt = performance.now();
      }
      taken.push((await closed) - endedAt);
    }
    expect(median(taken)).toBeLessThan(limitMs);
  });

  it("is closed soon after a cancellation during the handshake", async () => {
    const principal = aPrincipal();
    const taken: number[] = [];
    for (let trial = 0; trial < trials; trial += 1) {
      const gone = new AbortController();
      let closedAt: (time: number) => void = () => undefined;
      const closed = new Promise<number>((resolve) => {
        closedAt = resolve;
      });
      let endedAt = Number.NaN;
      const silent = createServer((_, response) => {
        response.on("close", () => closedAt(performance.now()));
        setTimeout(() => {
          endedAt = performance.now();
          gone.abort();
        }, 50);
      });
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
      const connectionId = await caller.connect(principal, url);
      const options = { ...caller.headersOf(principal), signal: gone.signal };
      await caller
        .as("product")
        .listTools({ connectionId }, options)
        .catch(() => undefined);
      taken.push((await closed) - endedAt);
      silent.closeAllConnections();
      await new Promise((resolve) => silent.close(resolve));
    }
    expect(median(taken)).toBeLessThan(limitMs);
  });
});
