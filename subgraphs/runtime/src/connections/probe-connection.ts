import { BoundedClient } from "../clients/bounded-client.js";

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

  /** When the connection was requested (`performance.now`). */
  get madeAt(): number {
    return this.#client.madeAt;
  }

  async ask(statement: string): Promise<Record<string, unknown>[]> {
    this.#connected ??= this.#client.connect();
    await this.#connected;
    return (await this.#client.query<Record<string, unknown>>(statement)).rows;
  }

  /** Ends the connection; a running question fails with this reason. */
  destroy(reason?: Error): void {
    this.#connected?.catch(() => undefined);
    this.#client.connection.stream.destroy(reason);
  }
}
