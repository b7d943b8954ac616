import { type ChildProcess, fork } from "node:child_process";
import { logChildOutput } from "../../telemetry/foreign-output.js";
import type { Logger } from "../../telemetry/logger.js";
import type { JobHandler, TenantPayload } from "../definitions/job-definition.js";
import { type FromChild, receivedError, sentError, type ToChild } from "./child-messages.js";
import { childEnvironment } from "./environment.js";

/** In MiB. */
const heap = 1024;
/** How long a run that was given up may clean up, and an ended one may take to exit. */
const graceMs = 1000;

/** The process of a run ended before the run did. */
export class ChildDied extends Error {
  override readonly name = "ChildDied";
}

export interface ChildWork<Payload extends TenantPayload> {
  /** A module that calls `workForParent`. */
  readonly entry: URL;
  /** Sent as a message, since arguments and environment can be read by other processes. */
  readonly settings: object;
  /** For what the process writes beside its own log. */
  readonly logger?: Logger;
  /** What a run asks its parent for. */
  answer?(question: unknown, payload: Payload): Promise<unknown>;
}

/** Runs each job in a new child process, which ends with its run, with the attempt's signal and with this process. */
export function inChildProcess<Payload extends TenantPayload>(work: ChildWork<Payload>): JobHandler<Payload> {
  return async (payload, { signal, attempt, lastAttempt }) => {
    signal.throwIfAborted();
    const child = fork(work.entry, [], {
      serialization: "advanced",
      env: childEnvironment(),
      execArgv: [`--max-old-space-size=${heap}`, "--no-warnings"],
      stdio: ["ignore", "ignore", work.logger ? "pipe" : "inherit", "ipc"],
    });
    if (work.logger && child.stderr) logChildOutput(child.stderr, work.logger);
    let ended: Extract<FromChild, { kind: "ended" }> | undefined;
    let timer: NodeJS.Timeout | undefined;
    const killSoon = () => (timer ??= setTimeout(() => child.kill("SIGKILL"), graceMs));
    const abort = () => {
      tell(child, { kind: "abort" });
      killSoon();
    };
    child.on("message", (message: FromChild) => {
      if (message.kind === "ask") return void answer(child, message, () => work.answer?.(message.question, payload));
      ended = message;
      killSoon();
    });
    signal.addEventListener("abort", abort, { once: true });
    try {
      tell(child, { kind: "work", settings: work.settings, payload, attempt: { attempt, lastAttempt } });
      const how = await endOf(child);
      if (ended?.error) throw receivedError(ended.error);
      if (ended) return;
      signal.throwIfAborted();
      throw new ChildDied(`The child process of the job ended by itself (${how}).`);
    } finally {
      signal.removeEventListener("abort", abort);
      clearTimeout(timer);
    }
  };
}

/** Its last message has been read then. */
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

/** A message that cannot be sent is answered by the end of the child. */
function tell(child: ChildProcess, message: ToChild): void {
  child.send(message, () => undefined);
}
