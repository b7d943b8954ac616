import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

interface Connection {
  unanswered: number;
  /** The newest request, until it is answered. */
  newest: ServerResponse | undefined;
  /** True after "Connection: close" was sent or the connection was half closed. No further request is processed. */
  final: boolean;
  /** Answers bytes that are not HTTP, after every request before them is answered. */
  refusal: (() => void) | undefined;
}

/** How long unread bytes are read after the answer. A close over unread bytes resets the connection, and the client could lose the answer. */
const usualLingerMs = 1000;

/** A listener's open connections, and how they end without a reset. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #answered: (this: ServerResponse) => void;
  #leaving = false;
  #lingerMs = usualLingerMs;
  #endIdle = false;
  #onEmpty: (() => void) | undefined;

  constructor() {
    const release = (response: ServerResponse) => this.#release(response);
    // one function serves all responses, since a closure for each response would cost time in every request
    this.#answered = function answeredOne(this: ServerResponse) {
      release(this);
    };
  }

  add(socket: Socket): void {
    this.#open.set(socket, { unanswered: 0, newest: undefined, final: false, refusal: undefined });
    if (this.#leaving) endInStages(socket, this.#lingerMs);
    socket.once("close", () => this.remove(socket));
  }

  /** Forgets a connection, also one that was upgraded to a websocket. */
  remove(socket: Socket): void {
    this.#open.delete(socket);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** Returns false for a request that arrived after its connection's final answer. It must not be processed. */
  receive(response: ServerResponse): boolean {
    const connection = this.#open.get(response.req.socket);
    if (!connection) return true;
    if (this.#leaving && !this.#announce(connection, response)) return false;
    connection.unanswered++;
    connection.newest = response;
    response.once("close", this.#answered);
    return true;
  }

  /** Calls `answer` when all requests before the unreadable bytes are answered. A half-sent answer is only ended. */
  refuse(socket: Socket, answer: () => void): void {
    const connection = this.#open.get(socket);
    if (!connection) {
      answer();
      return;
    }
    connection.refusal ??= answer;
    refuseInTurn(socket, connection);
  }

  /** From now on the answer to each connection's newest request carries "Connection: close". */
  leave(lingerMs = usualLingerMs): void {
    this.#leaving = true;
    this.#lingerMs = lingerMs;
    for (const [socket, { newest }] of this.#open) {
      endInStages(socket, lingerMs);
      if (newest && !newest.headersSent) newest.shouldKeepAlive = false;
    }
  }

  /** Half-closes idle connections, now and as soon as they become idle. */
  endIdle(): void {
    this.#endIdle = true;
    for (const [socket, connection] of this.#open) this.#endIfIdle(socket, connection);
  }

  /** Resolves once every connection is closed. */
  empty(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => (this.#onEmpty = resolve));
  }

  cut(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #announce(connection: Connection, response: ServerResponse): boolean {
    const { newest } = connection;
    if (connection.final || (newest?.headersSent && !newest.shouldKeepAlive)) return false;
    // a pipelined request follows, so the answer before it is not the last one
    if (newest) newest.shouldKeepAlive = true;
    response.shouldKeepAlive = false;
    return true;
  }

  #release(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.unanswered--;
    if (connection.newest === response) connection.newest = undefined;
    if (!response.shouldKeepAlive) connection.final = true;
    else if (connection.refusal) refuseInTurn(socket, connection);
    else if (this.#endIdle) this.#endIfIdle(socket, connection);
  }

  #endIfIdle(socket: Socket, connection: Connection): void {
    if (connection.unanswered > 0 || connection.final) return;
    connection.final = true;
    socket.destroySoon();
  }
}

function refuseInTurn(socket: Socket, connection: Connection): void {
  const { refusal, newest, unanswered } = connection;
  // bytes that break a request's body are answered as that request
  const brokenResponse = newest && !newest.req.complete ? newest : undefined;
  if (unanswered > (brokenResponse ? 1 : 0)) return;
  connection.final = true;
  if (brokenResponse?.headersSent) endAndLinger(socket);
  else refusal?.();
}

/** After the final answer node calls `destroySoon`, which resets a client that is still sending. */
function endInStages(socket: Socket, lingerMs: number): void {
  socket.destroySoon = () => endAndLinger(socket, undefined, lingerMs);
}

/** Half-closes and goes on reading for a while, so that the client can read the answer (RFC 9112 section 9.6). */
export function endAndLinger(socket: Duplex, lastWords?: string, lingerMs = usualLingerMs): void {
  socket.end(lastWords);
  socket.resume();
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(linger));
}
