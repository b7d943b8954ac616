import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { refusalOf } from "../../connections/vendor-calls/vendor-connection.fixture.js";
import { aPrincipal, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, KnownTokens, modelClient } from "./model-vendor.fixture.js";

const tokens = new KnownTokens();
const principal = aPrincipal();
const headers = { authorization: `Bearer ${tokens.tokenOf(principal)}` };
let fixture: IntegrationFixture;
let models: Awaited<ReturnType<typeof modelClient>>;
let connectionId: string;

const logger = keepingLogger([]);
const callMs = 60_000;

/** A vendor in this process, so that one clock tells when the caller went and when the socket was closed. */
let answer: (response: ServerResponse) => void = () => undefined;
const vendor = createServer((_, response) => answer(response));

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  fixture = await startIntegrationFixture({ verifier: tokens, modelCallMs: callMs }, logger);
  models = await modelClient(fixture, logger);
  const { port } = vendor.address() as AddressInfo;
  connectionId = await aModelConnection(fixture, principal, `http://127.0.0.1:${port}/v1`);
});
afterAll(async () => {
  await models.close();
  await fixture.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});

const trials = 3;
/** On an idle machine it takes less than 100 ms. A call that goes on would end at its own limit. */
const limitMs = callMs / 2;
const request = () => ({ connectionId, model: "hangs", messages: [{ role: "user", content: "hello" }] });

type Call = (options: { signal: AbortSignal; timeoutMs: number }) => Promise<unknown>;

const complete: Call = (options) => models.client.complete(request(), { headers, ...options });

const stream: Call = async (options) => {
  for await (const _ of models.client.stream(request(), { headers, ...options }));
};

const hang = () => undefined;
const begin = (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "a" } }] })}\n\n`);
};

/** The milliseconds from the caller's end until the vendor's socket is closed, the median over some calls. */
async function closedAfter(call: Call, how: typeof begin, end: "cancelled" | "deadline"): Promise<number> {
  const times: number[] = [];
  for (let trial = 0; trial < trials; trial += 1) {
    const callerEnd = new AbortController();
    let [isAsked, endedAt] = [false, Number.NaN];
    const closing = new Promise<number>((resolve) => {
      answer = (response) => {
        isAsked = true;
        how(response);
        response.on("close", () => resolve(performance.now()));
        if (end === "cancelled")
          setTimeout(() => {
            endedAt = performance.now();
            callerEnd.abort();
          }, 50);
      };
    });
    // a slow machine needs more time to reach the vendor before the deadline
    for (let timeoutMs = end === "deadline" ? 500 : 20_000; !isAsked; timeoutMs *= 2) {
      await call({ signal: callerEnd.signal, timeoutMs }).catch(() => undefined);
      if (end === "deadline") endedAt = performance.now();
    }
    times.push((await closing) - endedAt);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(trials / 2)] ?? Number.NaN;
}

describe("the vendor's socket", () => {
  const calls: readonly [string, Call, typeof begin][] = [
    ["Complete", complete, hang],
    ["Stream before its first token", stream, hang],
    ["Stream after its first token", stream, begin],
  ];

  it.each(calls)("is closed soon when the caller of %s cancels", async (_, call, how) => {
    expect(await closedAfter(call, how, "cancelled")).toBeLessThan(limitMs);
  });

  it.each(calls)("is closed soon after the deadline of %s", async (_, call, how) => {
    expect(await closedAfter(call, how, "deadline")).toBeLessThan(limitMs);
  });
});

describe("the time of a call", () => {
  beforeAll(async () => {
    await models.close();
    await fixture.restart(undefined, { modelCallMs: 3_000 });
    models = await modelClient(fixture, logger);
  });

  it("is shared by the first model and its fallback", async () => {
    answer = (response) => {
      setTimeout(() => response.end(JSON.stringify({ choices: [{ message: { content: "late" } }] })), 2_000);
    };
    // Each would answer within the time, if it had the whole time.
    const fallback = { connectionId, model: "hangs", afterMs: 1_500 };
    const pendingCall = models.client.complete({ ...request(), fallback }, { headers });
    expect(await refusalOf(pendingCall)).toMatchObject({ code: "UPSTREAM_TIMEOUT" });
  });
});
