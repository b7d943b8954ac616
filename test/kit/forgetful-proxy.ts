import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/**
 * A TCP proxy that can forget its open connections: they stay open at both ends, and nothing passes through them. It can
 * also lead new connections to another server.
 */
export interface ForgetfulProxy {
  readonly port: number;
  /** The connections that are open now, also the forgotten ones that nobody has closed. */
  readonly open: number;
  /** How many open connections lead to this port. */
  openTo(port: number): number;
  /** Leads new connections to another port. Open ones stay where they are. */
  lead(port: number): void;
  /** Returns how many connections it has forgotten. New connections work. */
  forget(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly port: number;
  forgotten: boolean;
}

/** It listens on `ownPort`, or on any free port. */
export async function aForgetfulProxy(host: string, port: number, ownPort = 0): Promise<ForgetfulProxy> {
  const pairs = new Set<Pair>();
  let target = port;
  const proxy = createServer((client) => {
    const server = connect(target, host);
    const pair: Pair = { client, server, port: target, forgotten: false };
    pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("data", (bytes) => {
        if (!pair.forgotten) to.write(bytes);
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        if (pair.forgotten && from === server) return;
        pairs.delete(pair);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(ownPort, "127.0.0.1", resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    get open() {
      return pairs.size;
    },
    openTo: (targetPort) => [...pairs].filter((pair) => pair.port === targetPort).length,
    lead(next) {
      target = next;
    },
    forget() {
      const livePairs = [...pairs].filter(({ forgotten }) => !forgotten);
      for (const pair of livePairs) pair.forgotten = true;
      return livePairs.length;
    },
    async close() {
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
