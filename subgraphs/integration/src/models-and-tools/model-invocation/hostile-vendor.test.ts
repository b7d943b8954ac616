import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { DomainError } from "@factory/runtime/errors/domain-error";
import { keepingLogger } from "@factory/runtime/telemetry/logged-lines.fixture";
import { aPrincipal, eventually, type IntegrationFixture, startIntegrationFixture } from "../../integration.fixture.js";
import { aModelConnection, KnownTokens, modelClient } from "./model-vendor.fixture.js";

const tokens = new KnownTokens();
const principal = aPrincipal();
const headers = { authorization: `Bearer ${tokens.tokenOf(principal)}` };
const messages = [{ role: "user", content: "hello" }];
let fixture: IntegrationFixture;
let models: Awaited<ReturnType<typeof modelClient>>;
let connectionId: string;

let answer: (response: ServerResponse) => void = () => undefined;
let open = 0;
const vendor = createServer((request, response) => {
  open += 1;
  response.on("close", () => {
    open -= 1;
  });
  request.resume().on("end", () => answer(response));
});

beforeAll(async () => {
  const logger = keepingLogger([]);
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  fixture = await startIntegrationFixture({ verifier: tokens }, logger);
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

type How = typeof answer;

const complete = (how: How) => {
  answer = how;
  return models.client.complete({ connectionId, model: "m", messages }, { headers, timeoutMs: 60_000 });
};

const stream = async (how: How, timeoutMs = 60_000) => {
  answer = how;
  const deltas: string[] = [];
  for await (const { delta } of models.client.stream({ connectionId, model: "m", messages }, { headers, timeoutMs }))
    deltas.push(delta);
  return deltas;
};

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "none",
    ({ code }: DomainError) => code,
  );

const whole = (message: object, usage?: object, more: object = {}) =>
  JSON.stringify({ model: "m", choices: [{ message, finish_reason: "stop" }], usage, ...more });
const json =
  (body: string | Buffer, more: Record<string, string> = {}): How =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json", ...more }).end(body);

/** Writes for as long as the socket is open and takes more. */
const floods =
  (piece: string, type = "text/event-stream"): How =>
  (response) => {
    response.writeHead(200, { "content-type": type });
    const go = () => {
      while (!response.destroyed && response.write(piece)) continue;
      if (!response.destroyed) response.once("drain", go);
    };
    go();
  };

const usage = (total: number) => ({ prompt_tokens: 1, completion_tokens: 1, total_tokens: total });

describe("a hostile vendor of models", () => {
  it.each<[string, How, string]>([
    ["never ends its answer", floods("x".repeat(65_536), "application/json"), "PAYLOAD_TOO_LARGE"],
    [
      "compresses an answer that would be huge",
      json(gzipSync(whole({ content: "x".repeat(50_000_000) })), { "content-encoding": "gzip" }),
      "UPSTREAM_FAILED",
    ],
    [
      "sends bytes that are no UTF-8",
      json(
        Buffer.concat([
          Buffer.from('{"choices":[{"message":{"content":"'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('"}}]}'),
        ]),
      ),
      "UPSTREAM_FAILED",
    ],
    ["nests its answer", json(`{"choices":${"[".repeat(500_000)}`), "UPSTREAM_FAILED"],
    [
      "calls very many tools",
      json(whole({ tool_calls: Array(60_000).fill({ function: { name: "f" } }) })),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "names a call at any length",
      json(whole({ tool_calls: [{ id: "x".repeat(1_200_000), function: { name: "f" } }] })),
      "PAYLOAD_TOO_LARGE",
    ],
    [
      "redirects",
      (response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
      "UPSTREAM_FAILED",
    ],
    [
      "sends headers without an end",
      (response) => void response.writeHead(200, { x: "y".repeat(60_000) }).end(),
      "UPSTREAM_FAILED",
    ],
  ])("that %s gets nowhere with Complete", async (_, how, code) => {
    expect(await codeOf(complete(how))).toBe(code);
    await eventually(() => (open === 0 ? true : undefined));
  });

  it.each<[string, How, string]>([
    ["a line without an end", floods("x".repeat(65_536)), "UPSTREAM_FAILED"],
    ["an event without an end", floods(`data: ${"x".repeat(10_000)}\n`), "UPSTREAM_FAILED"],
    [
      "bytes that are no UTF-8",
      (response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x0a])),
      "UPSTREAM_FAILED",
    ],
    [
      "calls of tools without number",
      floods('data: {"choices":[{"delta":{"tool_calls":[{"index":5000}]}}]}\n\n'),
      "UPSTREAM_FAILED",
    ],
  ])("that streams %s gets nowhere", async (_, how, code) => {
    expect(await codeOf(stream(how))).toBe(code);
    await eventually(() => (open === 0 ? true : undefined));
  });

  it("that streams nothing but comments is left at the deadline", async () => {
    const slowly: How = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(":"), 50);
      response.on("close", () => clearInterval(timer));
    };
    expect(await codeOf(stream(slowly, 1_000))).toBe("UPSTREAM_TIMEOUT");
    await eventually(() => (open === 0 ? true : undefined));
  });

  it("passes a large piece of a stream on, in characters of three bytes", async () => {
    const content = "\u20ac".repeat(250_000);
    const event = `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\ndata: [DONE]\n\n`;
    const deltas = await stream((response) => void response.writeHead(200).end(event));
    expect(deltas.join("") === content).toBe(true);
  });

  it("is not believed when it counts more tokens than a call can have", async () => {
    const tokensTold = async (total: number) =>
      (await complete(json(whole({ content: "a" }, usage(total))))).usage?.totalTokens;
    expect(await tokensTold(9_000_000_000_000_000)).toBe(2);
    expect(await tokensTold(-5)).toBe(2);
    expect(await tokensTold(100)).toBe(100);
  });

  it("cannot add trailers or lines by its texts", async () => {
    const lines = "a\r\nset-cookie: b";
    const message = { content: lines, tool_calls: [{ id: lines, function: { name: lines, arguments: "\ud800" } }] };
    const body = JSON.stringify({ model: lines, choices: [{ message, finish_reason: lines }] });
    const { content, finishReason, model } = await complete(json(body));
    expect({ content, finishReason, model }).toEqual({ content: lines, finishReason: "other", model: lines });
  });
});
