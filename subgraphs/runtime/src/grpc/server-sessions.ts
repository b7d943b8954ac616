import { constants, type ServerHttp2Session } from "node:http2";

/**
 * A server's connections that have brought a call. grpc-js knows its sessions, for its own `forceShutdown`, only where
 * it keeps statistics (channelz).
 */
export class ServerSessions {
  readonly #open = new Set<ServerHttp2Session>();

  add(session: ServerHttp2Session): void {
    this.#open.add(session);
    session.once("close", () => this.#open.delete(session));
  }

  /** Ends every connection with the calls on it. */
  destroy(): void {
    for (const session of this.#open) session.destroy(undefined, constants.NGHTTP2_CANCEL);
  }
}
