import { type Logger as PinoLogger, pino } from "pino";

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

/** To stderr, which leaves stdout to what a command says. error: somebody must act; warn: healed itself; info: state change; debug: for us. */
export function createLogger(process: string, level: string): Logger {
  return pino(
    { name: process, level, redact: { paths: secretPaths, censor: "[redacted]" }, base: { process } },
    pino.destination(2),
  );
}
