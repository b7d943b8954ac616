/** The first character of a JSON-RPC message. No line of an event stream begins with it. */
const brace = "{".charCodeAt(0);
const white: readonly number[] = [" ", "\t", "\r", "\n"].map((character) => character.charCodeAt(0));

/** Passes the body of a success on while it comes, as the response that the client of the protocol reads. */
export class StreamedBody {
  /** Resolves with the first bytes. Its type is read from them, since the headers come with the end. */
  readonly response: Promise<Response>;
  readonly #count: (bytes: number) => void;
  #resolve: (response: Response) => void = () => undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #begun = false;

  /** `count` throws when the session has got more than is accepted. */
  constructor(count: (bytes: number) => void) {
    this.#count = count;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  readonly take = (piece: Buffer): void => {
    this.#count(piece.length);
    if (!this.#begun) this.#begin(piece);
    this.#controller?.enqueue(new Uint8Array(piece));
  };

  readonly end = (): void => {
    this.#close((controller) => controller.close());
  };

  readonly fail = (error: unknown): void => {
    this.#close((controller) => controller.error(error));
  };

  #begin(piece: Buffer): void {
    this.#begun = true;
    const isJson = piece.find((byte) => !white.includes(byte)) === brace;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
      },
    });
    const headers = { "content-type": isJson ? "application/json" : "text/event-stream" };
    this.#resolve(new Response(body, { status: 200, headers }));
  }

  #close(how: (controller: ReadableStreamDefaultController<Uint8Array>) => void): void {
    const controller = this.#controller;
    this.#controller = undefined;
    if (controller) how(controller);
  }
}
