import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A vendor whose API accepts one bearer token, and that fails on demand. */
export class VendorServer {
  /** `undefined`: the vendor accepts the token. `null`: it never answers. */
  status: number | null | undefined;
  token = "good";
  /** Called after the vendor was asked, before it answers. */
  beforeAnswer: () => Promise<unknown> = async () => undefined;
  /** The paths that were asked for, the oldest first. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      if (this.status === null) return;
      void this.beforeAnswer().then(() => {
        const isAccepted = request.headers.authorization === `Bearer ${this.token}`;
        response.writeHead(this.status ?? (isAccepted ? 200 : 401)).end("{}");
      });
    });
  }

  static async start(): Promise<VendorServer> {
    const vendor = new VendorServer();
    vendor.#server.listen(0, "127.0.0.1");
    await once(vendor.#server, "listening");
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
