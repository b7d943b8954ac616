import { createServer } from "node:net";

/**
 * Returns `port`, or for 0 a port that was free a moment ago. The issuer contains the port, so it must be known before
 * the platform listens.
 */
export async function choosePort(port: number, host: string): Promise<number> {
  if (port !== 0) return port;
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}
