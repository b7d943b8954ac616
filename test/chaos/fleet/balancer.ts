import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP balancer over the ports of several processes. It tries the next port when a connection is refused. */
export class Balancer {
  readonly #ports: readonly number[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
      client.on("error", () => undefined);
      this.#keep(client);
      this.#turn += 1;
      const first = this.#turn % this.#ports.length;
      this.#join(client, [...this.#ports.slice(first), ...this.#ports.slice(0, first)]);
    });
  }

  static async open(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    this.#keep(server);
    const next = () => this.#join(client, others);
    server.once("error", next);
    server.once("connect", () => {
      server.off("error", next);
      pass(client, server);
      pass(server, client);
    });
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}

/** Passes one direction's bytes, its end, and a lost connection. */
function pass(from: Socket, to: Socket): void {
  from.on("error", () => to.resetAndDestroy());
  from.on("close", (hadError) => {
    if (!hadError && !from.readableEnded) to.destroy();
  });
  from.pipe(to);
}
