import type { Duplex } from "node:stream";
import type pg from "pg";
import { BoundedClient } from "../clients/bounded-client.js";

/**
 * A client that sends a statement without waiting for the answers to earlier ones (PostgreSQL, "Frontend/Backend
 * Protocol", Pipelining). Statements between `hold` and `send` are sent in one write.
 */
export class PipelinedClient extends BoundedClient {
  #held: Duplex | undefined;

  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, pipeline: true });
  }

  hold(): void {
    if (this.#held) return;
    this.#held = this.connection.stream;
    this.#held.cork();
  }

  send(): void {
    this.#held?.uncork();
    this.#held = undefined;
  }
}
