import type { RenderingAnswer, RenderingRequest } from "../rendering/render-task.js";
import { ByteReader, sendWithBytes } from "../worker-pool/byte-pieces.js";
import { answerRequest } from "../worker-pool/serve-tasks.js";

/** Entry of a process that renders: one request at a time. The first message says that it is ready. */
const requests = new ByteReader<RenderingRequest>();
process.on("message", (message) => {
  const request = requests.take(message);
  if (request) void reply(request.message, request.bytes);
});
process.on("disconnect", () => process.exit());
// a terminal signals the whole group; when this process ends is decided by the one that started it
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

await warmUp();
process.send?.("ready");

/** The first check of a process compiles the meta-schema; no caller's time limit should pay for that. */
async function warmUp(): Promise<void> {
  await answerRequest({ kind: "parameters", schema: { type: "object" }, parameters: {} }, undefined);
}

async function reply(request: RenderingRequest, bytes: Uint8Array | undefined): Promise<void> {
  const answer = await answerRequest(request, bytes);
  await sendWithBytes<RenderingAnswer>(process, answer.answer, answer.bytes);
}
