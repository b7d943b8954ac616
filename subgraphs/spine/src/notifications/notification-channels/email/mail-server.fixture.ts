import { createConnection, createServer, type Server, type Socket } from "node:net";
import { SMTPServer } from "smtp-server";

/**
 * The server refuses the recipient with a reply, or the session with a greeting, never answers, or leaves after it has the
 * mail.
 */
export type Behavior = "hangs" | "leaves" | { readonly reply: number } | { readonly greeting: number };

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly text: string;
  readonly messageId: string;
}

/** A stock SMTP server on a loopback port, which becomes a hostile one on demand. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** The Message-IDs in all mails whose data arrived, including those that were not accepted. */
  readonly seen: string[] = [];
  /** How many sessions got no answer so far. */
  silences = 0;
  #behaviors: Behavior[] = [];
  readonly #hanging = new Set<Socket>();
  readonly #stock: SMTPServer;
  readonly #front: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#stock = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onRcptTo: (_address, _session, callback) => {
        const behavior = this.#behaviors[0];
        if (typeof behavior !== "object" || !("reply" in behavior)) return callback();
        this.#behaviors.shift();
        return callback(Object.assign(new Error("not now, ada@people.example"), { responseCode: behavior.reply }));
      },
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const messageId = /^Message-ID: <([^>]+)>/m.exec(text)?.[1] ?? "";
          this.seen.push(messageId);
          if (this.#behaviors[0] === "leaves") {
            this.#behaviors.shift();
            for (const socket of this.#sockets) socket.destroy();
            return;
          }
          this.received.push({ to: session.envelope.rcptTo.map(({ address }) => address), text, messageId });
          callback();
        });
      },
    });
    this.#stock.on("error", () => undefined);
    this.#front = createServer((socket) => this.#accept(socket));
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await new Promise<void>((resolve) => server.#stock.listen(0, "127.0.0.1", () => resolve()));
    await new Promise<void>((resolve) => server.#front.listen(0, "127.0.0.1", () => resolve()));
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${portOf(this.#front)}`;
  }

  /** How many open sessions get no answer. */
  get hanging(): number {
    return this.#hanging.size;
  }

  /** The behaviors for the next sessions, or for the next recipients where it is a reply. It works after that. */
  behave(...behaviors: Behavior[]): void {
    this.#behaviors = behaviors;
  }

  /** Whether the next sessions are offered SMTPUTF8. */
  set offersSmtpUtf8(isOffered: boolean) {
    this.#stock.options.hideSMTPUTF8 = !isOffered;
  }

  /** Ends the sessions that get no answer. */
  release(): void {
    for (const socket of this.#hanging) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#front.close(() => resolve()));
    await new Promise<void>((resolve) => this.#stock.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    if (this.#behaviors[0] === "hangs") {
      this.#behaviors.shift();
      this.silences += 1;
      this.#hanging.add(socket.on("close", () => this.#hanging.delete(socket)));
      return;
    }
    const [behavior] = this.#behaviors;
    if (typeof behavior === "object" && "greeting" in behavior) {
      this.#behaviors.shift();
      socket.end(`${behavior.greeting} not now\r\n`);
      return;
    }
    const inside = createConnection(portOf(this.#stock.server), "127.0.0.1");
    inside.on("error", () => socket.destroy());
    socket.on("close", () => inside.destroy());
    socket.pipe(inside).pipe(socket);
  }
}

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
