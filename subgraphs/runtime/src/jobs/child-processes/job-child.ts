import { type ChildProcess, fork } from "node:child_process";
import { requireStarted } from "../../files/started-child.js";
import { logChildOutput } from "../../telemetry/foreign-output.js";
import type { Logger } from "../../telemetry/logger.js";
import type { JobHandler, TenantPayload } from "../definitions/job-definition.js";
import { type FromChild, receivedError, sentError, type ToChild } from "./child-messages.js";
import { childEnvironment } from "./environment.js";

/** A child process's heap limit in MiB. */
const heap = 1024;
/** The time for an aborted run to clean up, and for a finished one to exit. */
const graceMs = 1000;

/** Thrown when the child process ended before its run. */
export class ChildDied extends Error {
  override readonly name = "ChildDied";
}

interface ChildWork<Payload extends TenantPayload> {
  /** The entry module, which calls `workForParent`. */
  readonly entry: URL;
  /** Settings, sent as a message because other processes can read arguments and environment. */
  readonly settings: object;
  /** The logger for the child process's output. */
  readonly logger?: Logger;
  /** Answers the run's questions. */
  answer?(question: unknown, payload: Payload): Promise<unknown>;
}

/**
 * A job handler that runs each job in a new child process. The child ends with its run, with the attempt's signal, and
 * with this process.
 */
export function inChildProcess<Payload extends TenantPayload>(work: ChildWork<Payload>): JobHandler<Payload> {
  return async (payload, { signal, attempt, lastAttempt }) => {
    signal.throwIfAborted();
    const child = fork(work.entry, [], {
      serialization: "advanced",
      env: childEnvironment(),
      execArgv: [`--max-old-space-size=${heap}`, "--no-warnings"],
      stdio: ["ignore", "ignore", work.logger ? "pipe" : "inherit", "ipc"],
    });
    requireStarted(child);
    if (work.logger && child.stderr) logChildOutput(child.stderr, work.logger);
    let endMessage: Extract<FromChild, { kind: "ended" }> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const killSoon = () => (timer ??= setTimeout(() => child.kill("SIGKILL"), graceMs));
    const abort = () => {
      tell(child, { kind: "abort" });
      killSoon();
    };
    child.on("message", (message: FromChild) => {
      if (message.kind === "ask") return void answer(child, message, () => work.answer?.(message.question, payload));
      endMessage = message;
      killSoon();
    });
    signal.addEventListener("abort", abort, { once: true });
    try {
      tell(child, { kind: "work", settings: work.settings, payload, attempt: { attempt, lastAttempt } });
      const how = await endOf(child);
      if (endMessage?.error) throw receivedError(endMessage.error);
      if (endMessage) return;
      signal.throwIfAborted();
      throw new ChildDied(`The child process of the job ended by itself (${how}).`);
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(timer);
    }
  };
}

/** Resolves when the child has exited and its last message was read. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
}

async function answer(child: ChildProcess, { id }: { id: number }, find: () => Promise<unknown> | undefined) {
  try {
    tell(child, { kind: "answer", id, value: await find() });
  } catch (error) {
    tell(child, { kind: "answer", id, error: sentError(error) });
  }
}

/** Sends a message. A failure to send is ignored, since the child's end reports it. */
function tell(child: ChildProcess, message: ToChild): void {
  child.send(message, () => undefined);
}
