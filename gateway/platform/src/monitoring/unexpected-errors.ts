import type { Logger } from "@factory/runtime/telemetry/logger";
import { Counter, type Registry } from "prom-client";

/**
 * Handles errors that no code has caught. An unhandled rejection is logged and counted, and the process continues,
 * because the failed work had its own state. After an uncaught exception the process's state is unknown, so the process
 * stops.
 */
export function watchUnexpectedErrors(logger: Logger, registry: Registry, stop: () => void): void {
  const counter = new Counter({
    name: "process_unexpected_errors_total",
    help: "Errors that were not caught, by kind",
    labelNames: ["kind"],
    registers: [registry],
  });
  for (const kind of ["unhandledRejection", "uncaughtException"]) counter.inc({ kind }, 0);
  process.on("unhandledRejection", (reason) => {
    counter.inc({ kind: "unhandledRejection" });
    logger.error({ err: reason }, "a rejected promise was not handled");
  });
  process.on("uncaughtException", (error) => {
    counter.inc({ kind: "uncaughtException" });
    logger.fatal({ err: error }, "an exception was not caught; the process stops");
    stop();
  });
}
