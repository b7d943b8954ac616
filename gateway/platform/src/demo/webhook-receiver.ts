import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface ReceivedWebhook {
  readonly id: string;
  readonly type: string;
  readonly verified: boolean;
}

interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  close(): Promise<void>;
}

/**
 * Starts a webhook receiver such as a partner would write. It answers 401 if the Standard Webhooks signature is not
 * valid.
 */
export async function startWebhookReceiver(
  secret: () => string,
  onReceived: (webhook: ReceivedWebhook) => void,
): Promise<WebhookReceiver> {
  const receivedWebhooks: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const header = (name: string) => String(request.headers[name] ?? "");
      const id = header("webhook-id");
      const signedText = `${id}.${header("webhook-timestamp")}.${body}`;
      const isVerified = header("webhook-signature").split(" ").includes(signature(secret(), signedText));
      const webhook = { id, type: String((JSON.parse(body) as { type?: unknown }).type), verified: isVerified };
      if (!receivedWebhooks.some((earlier) => earlier.id === id)) {
        receivedWebhooks.push(webhook);
        onReceived(webhook);
      }
      response.writeHead(isVerified ? 204 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received: receivedWebhooks,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
