import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  close(): Promise<void>;
}

/** An HTTP server that receives webhooks. `status` is called for each request. */
export async function aReceiver(status: () => number = () => 204): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(status()).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // if a test fails before it closes its receiver, the test run must still end
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * The signature by Standard Webhooks, written from the specification, so that the product's signer does not check
 * itself.
 */
export function signatureOf(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const content = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
