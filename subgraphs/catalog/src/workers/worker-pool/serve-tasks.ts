import { TemplateError } from "@factory/template-engine/template-error";
import { ByteReader, sendWithBytes } from "./byte-pieces.js";
import { packTree, unpackTree } from "./packed-tree.js";
import type { WorkerAnswer, WorkerRequest } from "./worker-message.js";
import type { TaskHandler } from "./worker-task.js";

interface AnswerWithBytes {
  readonly answer: WorkerAnswer;
  readonly bytes?: Uint8Array;
}

/** The life of a worker process: it answers one request at a time. Its first message says that it is ready. */
export async function serveTasks(handlers: readonly TaskHandler[], warmUp: () => Promise<unknown>): Promise<void> {
  const requests = new ByteReader<WorkerRequest>();
  process.on("message", (message) => {
    const request = requests.take(message);
    if (request) void reply(handlers, request.message, request.bytes);
  });
  process.on("disconnect", () => process.exit());
  // A terminal signals the whole process group, but only the process that started this one decides when it ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  await warmUp();
  process.send?.("ready");
}

async function reply(
  handlers: readonly TaskHandler[],
  request: WorkerRequest,
  bytes: Uint8Array | undefined,
): Promise<void> {
  const answer = await answerRequest(handlers, request, bytes);
  await sendWithBytes<WorkerAnswer>(process, answer.answer, answer.bytes);
}

/** Runs a request's handler. Never throws: an error becomes an answer. */
export async function answerRequest(
  handlers: readonly TaskHandler[],
  { task, input, files }: WorkerRequest,
  bytes: Uint8Array | undefined,
): Promise<AnswerWithBytes> {
  try {
    const handler = handlers.find(({ name }) => name === task);
    if (!handler) throw new Error(`The worker process knows no task "${task}".`);
    const { output, files: producedFiles } = await handler.run(input, unpackTree(files, bytes));
    if (!producedFiles) return { answer: { kind: "done", output, files: [] } };
    const packedTree = packTree(producedFiles);
    return { answer: { kind: "done", output, files: packedTree.files }, bytes: packedTree.bytes };
  } catch (error) {
    if (error instanceof TemplateError) {
      const { code, message, findings } = error;
      return { answer: { kind: "refused", code, message, findings } };
    }
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { answer: { kind: "broken", message, stack } };
  }
}
