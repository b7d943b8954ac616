import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A real HTTP server for tests: answers by path, 404 for the rest, and a record of what was asked. */
export class PackageServer {
  readonly asked: string[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #server: Server;
  #otherwise: Answer | undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(request.url ?? "");
      const answer = this.#answers.get(request.url ?? "") ?? this.#otherwise;
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
  }

  static async start(): Promise<PackageServer> {
    const server = new PackageServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  on(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  /** For every path without an answer of its own. */
  onAny(answer: Answer): void {
    this.#otherwise = answer;
  }

  serve(path: string, body: string | Uint8Array): string {
    this.on(path, (_, response) => response.end(body));
    return `${this.url}${path}`;
  }

  redirect(path: string, location: string, status = 302): string {
    this.on(path, (_, response) => response.writeHead(status, { location }).end());
    return `${this.url}${path}`;
  }

  /** A v3 feed with these packages by `id/version`; returns its service index. */
  feed(name: string, packages: Record<string, Uint8Array>): string {
    const base = `/${name}/flat/`;
    for (const [key, bytes] of Object.entries(packages)) {
      const [id, version] = key.split("/");
      this.serve(`${base}${id}/${version}/${id}.${version}.nupkg`, bytes);
    }
    const resources = [
      { "@id": `${this.url}/${name}/query`, "@type": "SearchQueryService" },
      { "@id": `${this.url}${base}`, "@type": "PackageBaseAddress/3.0.0" },
    ];
    return this.serve(`/${name}/index.json`, JSON.stringify({ version: "3.0.0", resources }));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
