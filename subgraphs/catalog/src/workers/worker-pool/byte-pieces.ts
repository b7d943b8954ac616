/** Small, so that reading or writing one piece blocks the event loop only briefly. */
const pieceBytes = 4 * 1024 * 1024;

/** One end of an IPC channel with "advanced" serialization. */
interface Channel {
  send?(message: object, handle: undefined, options: object, callback: (error: Error | null) => void): boolean;
}

interface Announced {
  readonly byteLength: number;
}

interface Piece {
  readonly piece: Uint8Array;
}

/** Sends the bytes in pieces, and then the message. Throws when the channel has ended. */
export async function sendWithBytes<M>(channel: Channel, message: M, bytes?: Uint8Array): Promise<void> {
  if (bytes) {
    await send(channel, { byteLength: bytes.length } satisfies Announced);
    for (let start = 0; start < bytes.length; start += pieceBytes)
      await send(channel, { piece: bytes.subarray(start, start + pieceBytes) } satisfies Piece);
  }
  await send(channel, { message });
}

function send(channel: Channel, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    if (channel.send) channel.send(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
    else reject(new Error("The IPC channel has ended."));
  });
}

/** Assembles the message and the bytes that `sendWithBytes` sent. */
export class ByteReader<M> {
  #bytes: Uint8Array | undefined;
  #filled = 0;

  /** Takes one received part. Returns the message when it is complete. */
  take(messageOrBytes: unknown): { message: M; bytes: Uint8Array | undefined } | undefined {
    const part = messageOrBytes as Announced | Piece | { message: M };
    if ("byteLength" in part) {
      this.#bytes = new Uint8Array(part.byteLength);
      this.#filled = 0;
    } else if ("piece" in part) {
      this.#bytes?.set(part.piece, this.#filled);
      this.#filled += part.piece.length;
    } else {
      const bytes = this.#bytes;
      this.#bytes = undefined;
      return { message: part.message, bytes };
    }
    return undefined;
  }
}
