import { renderFailed } from "../findings/template-error.js";

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const tab = 9;

/** A render's output limit is the limit for an unpacked package. */
export const maxOutputBytes = 200 * 1024 * 1024;

/** One file's output. It grows, and its end can be removed again. */
export class ByteSink {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, 64));
  }

  write(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    if (count <= 0) return;
    if (this.length + count > this.#bytes.length) this.#grow(this.length + count);
    this.#bytes.set(start === 0 && end === source.length ? source : source.subarray(start, end), this.length);
    this.length += count;
  }

  #grow(size: number): void {
    if (size > maxOutputBytes) throw renderFailed(`A produced file is larger than ${maxOutputBytes} bytes.`);
    const larger = Buffer.allocUnsafe(Math.min(maxOutputBytes, Math.max(size, this.#bytes.length * 2)));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }

  /** Removes everything after the last line end, and with `andLineEnd` the line end too. */
  cutToLineStart(andLineEnd = false): void {
    let at = this.length - 1;
    while (at >= 0 && this.#bytes[at] !== lineFeed && this.#bytes[at] !== carriageReturn) at--;
    if (at < 0) {
      this.length = 0;
      return;
    }
    if (!andLineEnd) {
      this.length = at + 1;
      return;
    }
    const windows = this.#bytes[at] === lineFeed && at > 0 && this.#bytes[at - 1] === carriageReturn;
    this.length = windows ? at - 1 : at;
  }

  /** Removes everything from a byte's last occurrence. */
  cutAtLast(byte: number): void {
    let at = this.length - 1;
    while (at >= 0 && this.#bytes[at] !== byte) at--;
    this.length = Math.max(at, 0);
  }

  trimBlanks(): void {
    while (this.length > 0) {
      const last = this.#bytes[this.length - 1];
      if (last !== space && last !== tab) return;
      this.length--;
    }
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.length));
  }
}

/** The position after the next line end, or the end of the text. */
export function afterLineEnd(source: Uint8Array, from: number): number {
  const at = lineEnd(source, from);
  if (at >= source.length) return source.length;
  return source[at] === carriageReturn && source[at + 1] === lineFeed ? at + 2 : at + 1;
}

/** The position of the next line end, or the end of the text. */
export function lineEnd(source: Uint8Array, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== lineFeed && source[at] !== carriageReturn) at++;
  return at;
}

export function afterBlanks(source: Uint8Array, from: number): number {
  let at = from;
  while (at < source.length && (source[at] === space || source[at] === tab)) at++;
  return at;
}
