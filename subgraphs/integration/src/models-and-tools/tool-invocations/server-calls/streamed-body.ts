import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import { EventStreamParser } from "../../chat-completions/event-stream.js";

/** The first character in a JSON-RPC message. No line in an event stream begins with it. */
const braces: readonly number[] = ["{", "["].map((character) => character.charCodeAt(0));
const white: readonly number[] = [" ", "\t", "\r", "\n"].map((character) => character.charCodeAt(0));

interface Options {
  /** Throws when the session has got more than is accepted. */
  readonly count: (bytes: number) => void;
  /** Returns the message for the protocol's client. */
  readonly read: (message: unknown) => unknown;
  /** The longest message in characters. */
  readonly maxCharacters: number;
}

/**
 * Passes the messages in a success's body on while they come, as the response that the protocol's client reads. A
 * message that has come is never lost because the body fails after it.
 */
export class StreamedBody {
  /** Resolves with the first bytes. Its type is read from them, since the headers come with the end. */
  readonly response: Promise<Response>;
  readonly #options: Options;
  readonly #events: EventStreamParser;
  #resolve: (response: Response) => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** The pieces of a body that is one JSON text; undefined for an event stream, and before the first bytes. */
  #json: Buffer[] | undefined;
  #begun = false;

  constructor(options: Options) {
    this.#options = options;
    this.#events = new EventStreamParser(options.maxCharacters);
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  readonly take = (piece: Buffer): void => {
    this.#options.count(piece.length);
    const first = this.#begun ? undefined : piece.find((byte) => !white.includes(byte));
    if (!this.#begun && first !== undefined) this.#begin(braces.includes(first));
    if (this.#json) this.#json.push(piece);
    else for (const data of this.#events.push(piece)) this.#pass(data);
  };

  /** Ends the response after what has come: an error would take it from the client. */
  readonly end = (): void => {
    if (this.#json) this.#pass(Buffer.concat(this.#json).toString("utf8"));
    const controller = this.#controller;
    this.#controller = undefined;
    controller?.close();
  };

  #begin(isJson: boolean): void {
    this.#begun = true;
    if (isJson) this.#json = [];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
      },
    });
    this.#resolve(new Response(body, { status: 200, headers: { "content-type": "text/event-stream" } }));
  }

  #pass(text: string): void {
    for (const message of messagesIn(text)) {
      const messageText = textOf(this.#options.read(message));
      if (messageText !== undefined) this.#controller?.enqueue(Buffer.from(`event: message\ndata: ${messageText}\n\n`));
    }
  }
}

/** Undefined for a message that is nested too deeply to be written. */
function textOf(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A text that is not JSON is left out, as the client would do. */
function messagesIn(text: string): unknown[] {
  try {
    return [parseForeignJson(text)].flat();
  } catch {
    return [];
  }
}
