// A model vendor that answers at once, as a separate process. It sends its port to its parent.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const message = { role: "assistant", content: "This is the answer of the model. ".repeat(8) };
const whole = JSON.stringify({
  model: "bench",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage,
});
const event = (value: unknown) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const delta = (content: string, finish_reason: string | null = null) =>
  event({ model: "bench", choices: [{ index: 0, delta: { content }, finish_reason }] });
const rest = [delta("second "), delta("third "), delta("", "stop"), event({ choices: [], usage }), event("[DONE]")];

function answer(response: ServerResponse, isStreamed: boolean): void {
  if (!isStreamed) {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
    response.end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(delta("first "));
  setTimeout(() => response.end(rest.join("")), 2);
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => answer(response, Buffer.concat(chunks).includes('"stream":true')));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
