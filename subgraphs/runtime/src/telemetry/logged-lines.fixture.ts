import { pino } from "pino";
import type { Logger } from "./logger.js";

/** A logger for all levels that keeps its lines, as JSON, in `lines`. */
export function keepingLogger(lines: string[]): Logger {
  return pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
}
