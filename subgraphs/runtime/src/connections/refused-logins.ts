import { isLoginRefused } from "../errors/database-failure.js";
import type { Logger } from "../telemetry/logger.js";
import { ProbeConnection } from "./probe-connection.js";

const logEveryMs = 60_000;

/** The roles whose login the server refuses. Each is tried again until the server accepts it. */
export class RefusedLogins {
  readonly #logger: Logger;
  /** The running attempt for each role's URL, if there is one. */
  readonly #refused = new Map<string, ProbeConnection | undefined>();
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get any(): boolean {
    return this.#refused.size > 0;
  }

  note(url: string, error: unknown): void {
    const login = bare(url);
    if (!this.#refused.has(login)) this.#refused.set(login, undefined);
    this.#log(error);
  }

  /** Tries the refused logins again. */
  ask(): void {
    for (const [url, running] of this.#refused) if (!running) this.#try(url);
  }

  stop(): void {
    for (const running of this.#refused.values()) running?.destroy();
    this.#refused.clear();
  }

  #try(url: string): void {
    const connection = new ProbeConnection(url);
    this.#refused.set(url, connection);
    connection
      .ask("select")
      .then(
        () => {
          if (this.#refused.delete(url) && !this.any) this.#logger.warn("the database accepts the logins again");
        },
        (error: unknown) => {
          if (!this.#refused.has(url)) return;
          this.#refused.set(url, undefined);
          if (isLoginRefused(error)) this.#log(error);
        },
      )
      .finally(() => connection.destroy());
  }

  #log(error: unknown): void {
    if (performance.now() - this.#loggedAt < logEveryMs) return;
    this.#loggedAt = performance.now();
    const roles = [...this.#refused.keys()].map((url) => new URL(url).username);
    this.#logger.error({ cause: error, roles }, "the database refuses a login of the platform");
  }
}

/** Connection settings do not change who logs in. */
function bare(url: string): string {
  const login = new URL(url);
  login.searchParams.delete("options");
  return login.href;
}
