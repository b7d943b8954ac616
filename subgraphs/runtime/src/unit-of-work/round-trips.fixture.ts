import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

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
    client.on("data", (bytes) => {
      if (!asking) trips += 1;
      asking = true;
      server.write(bytes);
    });
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
