import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { systemErrorCode } from "@factory/runtime/errors/system-error";

/**
 * The ports to choose from. Systems take ports for outgoing connections from above: Linux from 32768, others from 49152
 * (RFC 6335 section 6). Such a connection could take the port before the platform listens.
 */
const [lowest, highest] = [20_000, 32_767];
const maxTries = 100;

/**
 * Returns `port`, or for 0 a port that was free a moment ago. The issuer contains the port, so it must be known before
 * the platform listens.
 */
export async function choosePort(port: number, host: string): Promise<number> {
  if (port !== 0) return port;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const candidate = randomInt(lowest, highest + 1);
    if (await isFree(candidate, host)) return candidate;
  }
  throw new Error("No free port");
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EADDRINUSE") return false;
    throw error;
  } finally {
    server.close();
  }
}
