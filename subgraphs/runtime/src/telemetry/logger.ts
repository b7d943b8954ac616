import { type Logger as PinoLogger, pino, stdSerializers } from "pino";

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

/** pg hangs the whole client on the error of a lost connection, with the key that cancels its statements. */
export function loggedError(error: unknown): unknown {
  const logged = stdSerializers.err(error as Error) as unknown;
  if (typeof logged !== "object" || logged === null || !("client" in logged)) return logged;
  const { client: _client, ...rest } = logged;
  return rest;
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
