import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";

/** An order to send requests to each sink, as many at a time as the platform makes. */
export interface SenderOrder {
  readonly urls: readonly string[];
  readonly perSink: number;
  readonly atOnce: number;
  readonly body: string;
}

const secret = "the-secret-of-the-bare-sender";
const agent = new Agent({ keepAlive: true });

/** Signs one body and posts it. It keeps no record and reads no database. */
function post(url: string, id: string, body: string): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
  return new Promise((resolve, reject) => {
    const sending = request(url, { method: "POST", headers, agent }, (response) => {
      response.resume();
      response.once("end", resolve);
    });
    sending.once("error", reject);
    sending.end(body);
  });
}

async function send({ urls, perSink, atOnce, body }: SenderOrder): Promise<void> {
  const total = urls.length * perSink;
  let requestCount = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let place = requestCount++; place < total; place = requestCount++)
        await post(urls[place % urls.length] ?? "", `bare_${place}`, body);
    }),
  );
}

/** A separate process, so that its CPU time can be read. It answers each order when all is sent. */
process.on("message", (order: SenderOrder) => {
  void send(order).then(
    () => process.send?.("sent"),
    (error: unknown) => process.send?.(String(error)),
  );
});
