import type pg from "pg";
import { BoundedClient } from "../clients/bounded-client.js";
import { isLoginRefused } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";
import { ServerWatch } from "./server-watch.js";

/**
 * Ends its owner's separate connection when the server freezes, is replaced, or accepts no writes any more. The owner
 * makes a new one. Call it before the client connects.
 */
export function watchSession(client: BoundedClient, watch: ServerWatch, url: string): void {
  const destroy = (reason?: Error) => void client.connection.stream.destroy(reason);
  client.onSpent = (answer) => {
    watch.note(answer, url);
    // its login was refused: the driver tells the owner first
    if (!isLoginRefused(answer)) destroy(answer);
  };
  const leave = watch.join({
    abandon: destroy,
    sweep: () => undefined,
    renew(madeBefore, reason) {
      if (client.madeAt < madeBefore) destroy(reason);
    },
  });
  client.once("end", leave);
}

/** An option for a `pg` pool that a library opens. It makes every connection a watched session. */
export function watchedClients(url: string, logger: Logger): { readonly Client: typeof pg.Client } {
  class WatchedSession extends BoundedClient {
    constructor(config?: pg.ClientConfig) {
      super(config);
      watchSession(this, ServerWatch.of(url, logger), url);
    }
  }
  return { Client: WatchedSession };
}
