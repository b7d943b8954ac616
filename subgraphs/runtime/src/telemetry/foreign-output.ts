import { Console } from "node:console";
import type { EventEmitter } from "node:events";
import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import type { Logger } from "./logger.js";

/** In characters: what a library prints may repeat what a caller sent. */
const longestText = 2000;

/** From here on only the logger writes: what libraries print, and what Node warns of, become lines of the log. */
export function logForeignOutput(logger: Logger): void {
  const printed = new Console({ stdout: sink(logger, "debug"), stderr: sink(logger, "warn") });
  // the methods of the global console are replaced, since a library may hold the object
  Object.assign(console, printed);
  // Node's own listener prints
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, "Node warned"));
  // depd prints what nothing listens for
  (process as EventEmitter).on("deprecation", (error: unknown) =>
    logger.debug({ err: error }, "a library warned of a deprecated use"),
  );
}

/** A child's own log is passed on as it is; what else it writes, as V8 does when it ends a process, becomes a line each. */
export function logChildOutput(output: Readable, logger: Logger): void {
  createInterface({ input: output }).on("line", (line) => {
    if (isLogLine(line)) process.stderr.write(`${line}\n`);
    else if (line.trim() !== "")
      logger.warn({ text: line.slice(0, longestText) }, "a child process wrote text that is not a log line");
  });
}

function sink(logger: Logger, level: "debug" | "warn"): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, written) {
      logger[level]({ text: text.slice(0, longestText).trimEnd() }, "a library wrote to the console");
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
