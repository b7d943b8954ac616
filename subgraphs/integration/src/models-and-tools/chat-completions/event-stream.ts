import { isUtf8 } from "node:buffer";
import { DomainError } from "@factory/runtime/errors/domain-error";

/** An event's text is one gRPC message, 1 MiB at most, and a character has up to three bytes. */
const maxModelCharacters = 256 * 1024;
const byteOrderMark = "\ufeff";
const lineFeed = 0x0a;

/**
 * Reads server-sent events (WHATWG HTML, section 9.2.6) piece by piece, and gives each event's data. The other fields
 * have no meaning here. Lines and events have a limit, and each character is looked at once, however small the pieces
 * are.
 */
export class EventStreamParser {
  /** The longest line, and an event's longest data. */
  readonly #maxCharacters: number;
  /** The bytes in a character that the piece before did not end. */
  #rest: Uint8Array = new Uint8Array();
  #hasBegun = false;
  #line: string[] = [];
  #lineLength = 0;
  #data: string[] = [];
  #dataLength = 0;
  #endedWithReturn = false;

  constructor(maxCharacters = maxModelCharacters) {
    this.#maxCharacters = maxCharacters;
  }

  /**
   * The data in the events that end in this piece. Throws UPSTREAM_FAILED for bytes that are not an event stream, after
   * the events before them.
   */
  *push(piece: Uint8Array): Generator<string, void> {
    for (const text of this.#texts(piece)) yield* this.#events(text);
  }

  *#events(piece: string): Generator<string, void> {
    if (piece === "") return;
    // The line feed in a pair whose carriage return ended the text before.
    const text = this.#endedWithReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    this.#endedWithReturn = piece.endsWith("\r");
    let start = 0;
    for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#add(text.slice(start, index));
      start = index + lineEnd.length;
      const event = this.#endLine();
      if (event !== undefined) yield event;
    }
    this.#add(text.slice(start));
  }

  /** The piece's text, or its lines before the one that is not UTF-8. */
  *#texts(piece: Uint8Array): Generator<string, void> {
    const bytes =
      this.#rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        : Buffer.concat([this.#rest, piece]);
    const end = bytes.length - unendedBytes(bytes);
    this.#rest = Uint8Array.from(bytes.subarray(end));
    const whole = bytes.subarray(0, end);
    if (isUtf8(whole)) {
      yield this.#begun(whole.toString("utf8"));
      return;
    }
    for (let start = 0; ; ) {
      const lineEnd = whole.indexOf(lineFeed, start) + 1;
      const line = whole.subarray(start, lineEnd === 0 ? whole.length : lineEnd);
      if (!isUtf8(line) || lineEnd === 0) throw brokenStream("is not UTF-8");
      yield this.#begun(line.toString("utf8"));
      start = lineEnd;
    }
  }

  /** Without a stream's byte order mark. */
  #begun(text: string): string {
    const isFirst = !this.#hasBegun && text !== "";
    this.#hasBegun ||= isFirst;
    return isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }

  #add(part: string): void {
    if (part === "") return;
    this.#lineLength += part.length;
    if (this.#lineLength > this.#maxCharacters) throw brokenStream("has a line that is too long");
    this.#line.push(part);
  }

  /** Returns the data when an empty line ends an event. An event without data is ignored. */
  #endLine(): string | undefined {
    const line = this.#line.join("");
    this.#line = [];
    this.#lineLength = 0;
    if (line === "") {
      const data = this.#data;
      this.#data = [];
      this.#dataLength = 0;
      return data.length > 0 ? data.join("\n") : undefined;
    }
    const value = dataOf(line);
    if (value === undefined) return undefined;
    this.#dataLength += value.length + 1;
    if (this.#dataLength > this.#maxCharacters) throw brokenStream("has an event that is too long");
    this.#data.push(value);
    return undefined;
  }
}

/** The bytes at the end that begin a character and do not end it. */
function unendedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isFirst = (byte & 0xc0) !== 0x80;
    if (isFirst) return lengthFrom(byte) > back ? back : 0;
  }
  return 0;
}

/** How many bytes a character with this first byte has. */
function lengthFrom(first: number): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/** The value in a line `data: value`; undefined for a comment or another field. */
function dataOf(line: string): string | undefined {
  if (line === "data") return "";
  if (!line.startsWith("data:")) return undefined;
  return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

const brokenStream = (how: string) =>
  new DomainError("UPSTREAM_FAILED", { detail: `The vendor's event stream ${how}.` });
