import { type Logger as PinoLogger, pino, stdSerializers } from "pino";
import { sourceStack } from "./source-stack.js";

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

/** An error as it is logged: with the lines of the sources, and without the client that pg attaches to the error of a lost connection (it holds the key that cancels its statements). */
export function loggedError(error: unknown): unknown {
  const logged = stdSerializers.err(error as Error) as unknown;
  if (typeof logged !== "object" || logged === null) return logged;
  const { client: _client, stack, ...rest } = { client: undefined, stack: undefined, ...logged };
  return typeof stack === "string" ? { ...rest, stack: sourceStack(stack) } : rest;
}

/** To stderr, which leaves stdout to what a command says. error: somebody must act; warn: healed itself; info: state change; debug: for us. */
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
