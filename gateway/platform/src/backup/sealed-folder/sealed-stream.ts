import { createCipheriv, createDecipheriv } from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";

const algorithm = "aes-256-gcm";
const chunkBytes = 256 * 1024;
const tagBytes = 16;

/** Thrown for bytes that were changed, cut off or sealed under another key. */
class SealBroken extends Error {
  override readonly name = "SealBroken";
}

/** Cuts a stream into chunks with equal sizes; the last one may be shorter. */
abstract class ChunkedTransform extends Transform {
  readonly #chunkBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #number = 0;

  constructor(bytes: number) {
    super();
    this.#chunkBytes = bytes;
  }

  protected abstract chunk(bytes: Buffer, nonce: Buffer): Buffer;

  override _transform(bytes: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#finish(callback, () => {
      if (this.#waitingBytes <= this.#chunkBytes) return;
      const whole = Buffer.concat(this.#waiting);
      let start = 0;
      // The last chunk has another nonce, so one chunk always waits for the end.
      for (; whole.length - start > this.#chunkBytes; start += this.#chunkBytes)
        this.push(this.chunk(whole.subarray(start, start + this.#chunkBytes), this.#nonce(false)));
      this.#waiting = [whole.subarray(start)];
      this.#waitingBytes = whole.length - start;
    });
  }

  override _flush(callback: TransformCallback): void {
    this.#finish(callback, () => this.push(this.chunk(Buffer.concat(this.#waiting), this.#nonce(true))));
  }

  #finish(callback: TransformCallback, work: () => void): void {
    try {
      work();
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }

  /** The chunk's number, and whether it is the last one: so chunks cannot be moved or cut off. */
  #nonce(last: boolean): Buffer {
    const nonce = Buffer.alloc(12);
    nonce.writeUIntBE(this.#number, 5, 6);
    nonce.writeUInt8(last ? 1 : 0, 11);
    this.#number += 1;
    return nonce;
  }
}

/** Seals a stream in chunks (AES-256-GCM), so that each can be opened before the rest is read. The key seals one stream. */
export class SealStream extends ChunkedTransform {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    super(chunkBytes);
    this.#key = key;
  }

  protected chunk(bytes: Buffer, nonce: Buffer): Buffer {
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Opens what a SealStream has sealed, or fails with SealBroken. */
export class OpenStream extends ChunkedTransform {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    super(chunkBytes + tagBytes);
    this.#key = key;
  }

  protected chunk(bytes: Buffer, nonce: Buffer): Buffer {
    if (bytes.length < tagBytes) throw new SealBroken("The sealed stream was cut off");
    const decipher = createDecipheriv(algorithm, this.#key, nonce);
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]);
    } catch {
      throw new SealBroken("The sealed stream was changed");
    }
  }
}
