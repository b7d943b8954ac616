import { BoundedClient } from "./bounded-client.js";

/** A separate connection for one probe at a time. It is not used again after a failure. */
export class ProbeConnection {
  readonly #client: BoundedClient;
  #connected: Promise<unknown> | undefined;

  constructor(connectionString: string, settings: Readonly<Record<string, string>> = {}) {
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    this.#client = new BoundedClient({
      connectionString,
      ...(options.length > 0 ? { options: options.join(" ") } : {}),
    });
    // The next question reports the error.
    this.#client.on("error", () => undefined);
  }

  async ask(statement: string): Promise<void> {
    this.#connected ??= this.#client.connect();
    await this.#connected;
    await this.#client.query(statement);
  }

  /** Ends the connection; a running question fails with this reason. */
  destroy(reason?: Error): void {
    this.#connected?.catch(() => undefined);
    this.#client.connection.stream.destroy(reason);
  }
}
