import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SilentHost {
  readonly url: string;
  /** Connections that somebody holds open. */
  open(): number;
  close(): void;
}

/** Takes every connection and answers none: a fetch from it lasts until it is given up. */
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
