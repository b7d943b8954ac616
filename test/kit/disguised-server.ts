import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy before a PostgreSQL server that gives another number as the server's version. */
interface DisguisedServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Both numbers have six digits, for example 180004 and 140018, so the messages keep their lengths. */
export async function disguisedServer(
  serverUrl: string,
  version: string,
  visibleVersion: string,
): Promise<DisguisedServer> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(from === server ? replaced(bytes, version, visibleVersion) : bytes));
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: Object.assign(new URL(serverUrl), { host }).href,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

function replaced(bytes: Buffer, version: string, visibleVersion: string): Buffer {
  const at = bytes.indexOf(version);
  if (at >= 0) bytes.write(visibleVersion, at);
  return bytes;
}
