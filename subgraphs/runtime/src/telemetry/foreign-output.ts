import { Console } from "node:console";
import type { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Logger } from "./logger.js";

/** In characters. A library's output may repeat a caller's large input. */
const maxTextLength = 2000;

/** Turns libraries' console output and Node's warnings into log lines, so that only the logger writes to the output. */
export function logForeignOutput(logger: Logger): void {
  const redirectedConsole = new Console({ stdout: sink(logger, "debug"), stderr: sink(logger, "warn") });
  // The methods are replaced, not the console object, since a library may hold the object.
  Object.assign(console, redirectedConsole);
  // Node's default listener prints to stderr.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, "Node warned"));
  // depd prints a deprecation unless somebody listens for it.
  (process as EventEmitter).on("deprecation", (error: unknown) =>
    logger.debug({ err: error }, "a library warned about a deprecated API"),
  );
}

/**
 * Passes a child process's log lines on. Other output, for example from V8 when it ends the process, becomes separate
 * log lines.
 */
export function logChildOutput(output: Readable, logger: Logger): void {
  createInterface({ input: output }).on("line", (line) => {
    if (isLogLine(line)) process.stderr.write(`${line}\n`);
    else if (line.trim() !== "")
      logger.warn({ text: line.slice(0, maxTextLength) }, "a child process wrote text that is not a log line");
  });
}

function sink(logger: Logger, level: "debug" | "warn"): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, callback) {
      logger[level]({ text: text.slice(0, maxTextLength).trimEnd() }, "a library wrote to the console");
      callback();
    },
  });
}

function isLogLine(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
