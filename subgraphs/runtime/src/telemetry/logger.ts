import { type DestinationStream, type LogFn, type Logger as PinoLogger, pino, stdSerializers } from "pino";
import { OutageLines } from "./outage-lines.js";
import { sourceStack } from "./source-stack.js";

/** The structured logger (pino) that a whole process shares. */
export type Logger = PinoLogger;

const secretPaths = [
  "authorization",
  "password",
  "secret",
  "clientSecret",
  "signingSecret",
  "token",
  "access_token",
  "refresh_token",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * An error's logged form: with source lines, and without the client that pg attaches to a connection error, because the
 * client holds the key that cancels its statements.
 */
export function loggedError(error: unknown): unknown {
  const serializedError = stdSerializers.err(error as Error) as unknown;
  if (typeof serializedError !== "object" || serializedError === null) return serializedError;
  const { client: _client, stack, ...rest } = { client: undefined, stack: undefined, ...serializedError };
  return typeof stack === "string" ? { ...rest, stack: sourceStack(stack) } : rest;
}

interface LoggerOptions {
  readonly output?: DestinationStream;
  readonly countEveryMs?: number;
}

/**
 * Writes to stderr, since commands print their result to stdout. Levels: error needs an operator, warn healed itself,
 * info is a state change, debug is for developers. A failure is logged as `err`. While something that many share is
 * away, such as the database or file descriptors, only the first such line for each cause is written, and a count each
 * minute; the others are debug. A line about a state change has its failure as `cause` and is always written.
 */
export function createLogger(
  process: string,
  level: string,
  { output = pino.destination(2), countEveryMs = 60_000 }: LoggerOptions = {},
): Logger {
  const outages = new OutageLines(
    (failures) => logger.warn(failures, "more failures with the same cause"),
    countEveryMs,
  );
  const logger: Logger = pino(
    {
      name: process,
      level,
      redact: { paths: secretPaths, censor: "[redacted]" },
      base: { process },
      serializers: { err: loggedError, cause: loggedCause },
      hooks: {
        logMethod(line, write, lineLevel) {
          if (isHeld(outages, line, lineLevel)) this.debug(...line);
          else write.apply(this, line);
        },
      },
    },
    output,
  );
  return logger;
}

/** The cause in a count is a word already. */
const loggedCause = (cause: unknown) => (cause instanceof Error ? loggedError(cause) : cause);

const { warn, fatal } = pino.levels.values;

function isHeld(outages: OutageLines, [facts, message]: Parameters<LogFn>, level: number): boolean {
  if (level < Number(warn) || level >= Number(fatal) || typeof facts !== "object" || facts === null) return false;
  const { err, cause } = facts as { err?: unknown; cause?: unknown };
  if (cause instanceof Error) outages.reported(cause);
  return err !== undefined && !outages.passes(err, String(message));
}
