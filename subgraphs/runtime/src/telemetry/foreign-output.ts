import { Console } from "node:console";
import type { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Logger } from "./logger.js";

/** In characters. The output of a library may repeat a large input of a caller. */
const maxTextLength = 2000;

/**
 * Turns console output of libraries and warnings of Node into log lines, so that only the logger writes to the output.
 */
export function logForeignOutput(logger: Logger): void {
  const printed = new Console({ stdout: sink(logger, "debug"), stderr: sink(logger, "warn") });
  // The methods are replaced, not the console object, since a library may hold the object.
  Object.assign(console, printed);
  // The default listener of Node prints to stderr.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, "Node warned"));
  // depd prints a deprecation unless somebody listens for it.
  (process as EventEmitter).on("deprecation", (error: unknown) =>
    logger.debug({ err: error }, "a library warned about a deprecated API"),
  );
}

/**
 * Passes the log lines of a child process on. Other output, for example of V8 when it ends the process, becomes log
 * lines of its own.
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
    write(text: string, _encoding, written) {
      logger[level]({ text: text.slice(0, maxTextLength).trimEnd() }, "a library wrote to the console");
      written();
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
