// A model vendor with the common form for chat completions, as its own process: `node model-server.fixture.ts`. The
// model's name says how it behaves. It prints its port, and ends with its standard input.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Received {
  readonly path: string;
  readonly model: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
  readonly startedAt: number;
  closedAt: number | null;
  /** The pieces that were written to the socket. */
  pieces: number;
}

const requests: Received[] = [];
const usage = {
  ...{ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  prompt_tokens_details: { cached_tokens: 3 },
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A model's releases that its answer has not used yet, and the answer that waits for one. */
interface Hold {
  releases: number;
  goOn?: () => void;
}

const holds = new Map<string, Hold>();

function holdOf(model: string): Hold {
  const hold = holds.get(model) ?? { releases: 0 };
  holds.set(model, hold);
  return hold;
}

function release(model: string): void {
  const hold = holdOf(model);
  hold.releases += 1;
  hold.goOn?.();
}

async function waitForRelease(model: string): Promise<void> {
  const hold = holdOf(model);
  if (hold.releases === 0)
    await new Promise<void>((resolve) => {
      hold.goOn = resolve;
    });
  hold.releases -= 1;
}

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume();
process.stdin.on("end", () => process.exit());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/stats") {
    response.end(JSON.stringify(requests));
    return;
  }
  if (request.url?.startsWith("/releases/")) {
    release(request.url.slice("/releases/".length));
    response.end();
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown>;
  const { url: path = "", headers } = request;
  const model = String(body["model"]);
  const receivedRequest: Received = {
    ...{ path, model, headers, body },
    ...{ startedAt: Date.now(), closedAt: null, pieces: 0 },
  };
  requests.push(receivedRequest);
  response.once("close", () => {
    receivedRequest.closedAt = Date.now();
  });
  if (headers.authorization !== "Bearer good") json(response, 401, { error: { code: "invalid_api_key" } });
  else if (path.endsWith("/embeddings")) embed(response, body, model);
  else await chat(response, receivedRequest);
}

async function chat(response: ServerResponse, request: Received): Promise<void> {
  const { body, model } = request;
  const messages = body["messages"] as { content: string }[];
  const prompt = messages.at(-1)?.content ?? "";
  const [kind = "", ...rest] = model.split("-");
  const [first = 0] = rest.map(Number);
  if (kind === "hang") return;
  if (kind === "status") {
    const headers = first === 429 ? { "retry-after": "7" } : {};
    json(response, first, { error: { code: "context_length_exceeded", message: `too long: ${prompt}` } }, headers);
  } else if (kind === "garbage") response.end(`<p>${prompt}</p>`);
  else if (body["stream"] === true) await stream(response, request, { kind, first, prompt });
  else await whole(response, { kind, first, model, prompt });
}

async function whole(
  response: ServerResponse,
  { kind, first, model, prompt }: { kind: string; first: number; model: string; prompt: string },
): Promise<void> {
  const tool_calls = [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }];
  if (kind === "held") await waitForRelease(model);
  const content = kind === "long" ? "x".repeat(first) : `echo: ${prompt}`;
  const message = kind === "tools" ? { content: null, tool_calls } : { content };
  const finish_reason = kind === "tools" ? "tool_calls" : "stop";
  const usageMember = kind === "quiet" ? {} : { usage };
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  json(response, 200, { model: `${model}-2026`, choices, ...usageMember });
}

interface Behavior {
  readonly kind: string;
  readonly first: number;
  readonly prompt: string;
}

async function stream(response: ServerResponse, request: Received, behavior: Behavior): Promise<void> {
  const { kind, first, prompt } = behavior;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = async (value: object | string) => {
    const data = typeof value === "string" ? value : JSON.stringify(value);
    request.pieces += 1;
    if (!response.write(`data: ${data}\n\n`)) await new Promise((resolve) => response.once("drain", resolve));
  };
  const piece = (delta: object, finish_reason: string | null = null) =>
    send({ model: `${request.model}-2026`, choices: [{ index: 0, delta, finish_reason }] });
  await piece({ role: "assistant", content: "" });
  if (kind === "mute") return;
  if (kind === "endless") while (!response.destroyed) await piece({ content: "x".repeat(first || 1000) });
  for (const [place, delta] of deltasOf(behavior).entries()) {
    if (kind === "held" && place > 0) await waitForRelease(request.model);
    await piece(delta);
  }
  if (kind === "break") {
    // so that the pieces arrive before the end
    await pause(50);
    response.destroy();
  } else if (kind === "stop") response.end();
  else {
    if (kind === "error") await send({ error: { message: `failed for ${prompt}` } });
    await piece({}, kind === "tools" ? "tool_calls" : "stop");
    if (kind !== "quiet") await send({ choices: [], usage });
    await send("[DONE]");
    response.end();
  }
}

function deltasOf({ kind, first }: Behavior): object[] {
  if (kind !== "tools") return Array.from({ length: first || 3 }, (_, word) => ({ content: `w${word + 1} ` }));
  const parts = ['{"city":', '"Oslo"}'].map((part) => ({ index: 0, function: { arguments: part } }));
  const call = { index: 0, id: "call_1", function: { name: "weather", arguments: "" } };
  return [call, ...parts].map((part) => ({ tool_calls: [part] }));
}

function embed(response: ServerResponse, body: Record<string, unknown>, model: string): void {
  const inputs = body["input"] as string[];
  const size = (body["dimensions"] as number | undefined) ?? 3;
  const data = inputs.map((input, index) => {
    const vector = Float32Array.from({ length: size }, (_, place) => input.length + place / 2);
    const asBase64 = body["encoding_format"] === "base64" && model !== "numbers";
    return { index, embedding: asBase64 ? Buffer.from(vector.buffer).toString("base64") : [...vector] };
  });
  // Vendors may answer in another order.
  json(response, 200, { model, data: data.reverse(), usage: { prompt_tokens: 5, total_tokens: 5 } });
}

function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}
