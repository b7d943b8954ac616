import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SilentHost {
  readonly url: string;
  /** The number of open connections. */
  open(): number;
  close(): void;
}

/** A server that accepts connections and never answers, so that a fetch lasts until it is ended. */
export async function aSilentHost(): Promise<SilentHost> {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  let open = 0;
  server.on("connection", (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
    });
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => open,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
