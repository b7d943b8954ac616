import { type DestinationStream, type LogFn, type Logger as PinoLogger, pino, stdSerializers } from "pino";
import { OutageLines } from "./outage-lines.js";
import { sourceStack } from "./source-stack.js";

/** The structured logger (pino) that every part of a process receives. */
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
 * The logged form of an error: with source lines, and without the client that pg attaches to a connection error,
 * because the client holds the key that cancels its statements.
 */
export function loggedError(error: unknown): unknown {
  const logged = stdSerializers.err(error as Error) as unknown;
  if (typeof logged !== "object" || logged === null) return logged;
  const { client: _client, stack, ...rest } = { client: undefined, stack: undefined, ...logged };
  return typeof stack === "string" ? { ...rest, stack: sourceStack(stack) } : rest;
}

interface LoggerOptions {
  readonly output?: DestinationStream;
  readonly countEveryMs?: number;
}

/**
 * Writes to stderr, since commands print their result to stdout. Levels: error needs an operator, warn healed itself,
 * info is a change of state, debug is for developers. A failure is logged as `err`. During an outage of what many share,
 * such as the database or file descriptors, only the first such line of each cause is written, and a count each minute;
 * the others are debug. A line about a change of state has its failure as `cause` and is always written.
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
