import { BoundedClient } from "./bounded-client.js";

/** A connection of its own that is asked one thing at a time. A failure is the end of it. */
export class ProbeConnection {
  readonly #client: BoundedClient;
  #connected: Promise<unknown> | undefined;

  constructor(connectionString: string, settings: Readonly<Record<string, string>> = {}) {
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    this.#client = new BoundedClient({
      connectionString,
      ...(options.length > 0 ? { options: options.join(" ") } : {}),
    });
    // told by what is asked next
    this.#client.on("error", () => undefined);
  }

  async ask(statement: string): Promise<void> {
    this.#connected ??= this.#client.connect();
    await this.#connected;
    await this.#client.query(statement);
  }

  /** What was asked fails for this reason. */
  destroy(reason?: Error): void {
    this.#connected?.catch(() => undefined);
    this.#client.connection.stream.destroy(reason);
  }
}
