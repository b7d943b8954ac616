import { parseForeignJson, withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { AskedRequest } from "../server-calls/answer-reader.js";
import type { ProtocolPackage } from "../server-calls/channel.js";
import { membersOf } from "../server-calls/json-members.js";
import type { ServerProcess } from "./server-process.js";

const newline = "\n".charCodeAt(0);

interface Options {
  readonly process: ServerProcess;
  readonly parse: ProtocolPackage["parseJSONRPCMessage"];
  /** The request in a message whose answer is to be read. */
  readonly asked: (message: JSONRPCMessage) => AskedRequest | undefined;
  /** Returns the message for the protocol's client. */
  readonly read: (answer: unknown, asked: AskedRequest) => unknown;
  /** Throws when the session has got more than is accepted. */
  readonly count: (bytes: number) => void;
  readonly onEnded: (how: { readonly tooMuchMemory: boolean }) => void;
}

/** JSON-RPC messages as lines over a program's standard input and output. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** With `pid`, it tells the protocol's client that this is a program: silence means the former revision. */
  readonly stderr = null;
  readonly #options: Options;
  readonly #asked = new Map<unknown, AskedRequest>();
  #rest: Buffer[] = [];
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#options.process.child.pid;
  }

  async start(): Promise<void> {
    const { process, onEnded } = this.#options;
    process.child.stdout.on("data", (piece: Buffer) => this.#take(piece));
    void process.ended.then((how) => {
      onEnded(how);
      this.#close();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#options.process.child;
    const request = this.#options.asked(message);
    if (request) this.#asked.set(request.id, request);
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#options.process.stop();
    this.#close();
  }

  #take(piece: Buffer): void {
    try {
      this.#options.count(piece.length);
      let from = 0;
      for (let at = piece.indexOf(newline); at !== -1 && !this.#closed; at = piece.indexOf(newline, from)) {
        const line = Buffer.concat([...this.#rest, piece.subarray(from, at)]).toString("utf8");
        this.#rest = [];
        from = at + 1;
        if (line.trim() !== "") this.#read(line);
      }
      if (from < piece.length) this.#rest.push(piece.subarray(from));
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
    }
  }

  /** A line that is not a message is left out: some programs greet their users. */
  #read(line: string): void {
    let message: JSONRPCMessage;
    try {
      const parsedMessage = parseForeignJson(line);
      const request = this.#asked.get(withPlainNumbers(membersOf(parsedMessage)?.["id"]));
      message = this.#options.parse(
        withPlainNumbers(request ? this.#options.read(parsedMessage, request) : parsedMessage),
      );
    } catch {
      return;
    }
    this.onmessage?.(message);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#rest = [];
    this.onclose?.();
  }
}
