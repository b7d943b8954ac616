import { type Logger as PinoLogger, pino, stdSerializers } from "pino";
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

/**
 * Writes to stderr, since commands print their result to stdout. Levels: error needs an operator, warn healed itself,
 * info is a change of state, debug is for developers.
 */
export function createLogger(process: string, level: string): Logger {
  return pino(
    {
      name: process,
      level,
      redact: { paths: secretPaths, censor: "[redacted]" },
      base: { process },
      serializers: { err: loggedError },
    },
    pino.destination(2),
  );
}
