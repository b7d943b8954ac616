import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

/** Writes that follow one another sooner are one message, however slowly the machine hands them over. */
const pauseMs = 5;

/** A way to a server that counts how often somebody has asked and waited for the answer. */
export interface CountedWay {
  readonly url: string;
  /** Since the last call. */
  count(): number;
  close(): void;
}

export async function countedWay(url: string): Promise<CountedWay> {
  const { hostname, port } = new URL(url);
  let trips = 0;
  const way = createServer((client) => {
    const server = connect(Number(port), hostname);
    let asking = false;
    let message: Buffer[] = [];
    const send = () => {
      if (!asking) trips += 1;
      asking = true;
      server.write(Buffer.concat(message));
      message = [];
    };
    let sending: NodeJS.Timeout | undefined;
    client.on("data", (bytes) => {
      message.push(bytes);
      clearTimeout(sending);
      sending = setTimeout(send, pauseMs);
    });
    client.on("close", () => clearTimeout(sending));
    server.on("data", (bytes) => {
      asking = false;
      client.write(bytes);
    });
    for (const [one, other] of [[client, server] as const, [server, client] as const])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  way.listen(0, "127.0.0.1");
  await once(way, "listening");
  const counted = new URL(url);
  counted.port = String((way.address() as AddressInfo).port);
  return {
    url: counted.href,
    count() {
      const since = trips;
      trips = 0;
      return since;
    },
    close: () => way.close(),
  };
}
