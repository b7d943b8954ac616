import { DomainError } from "@factory/runtime/errors/domain-error";

const maxLineCharacters = 256 * 1024;
/** The text of an event is one message of gRPC, of 1 MiB at most, and a character has up to three bytes. */
const maxEventCharacters = 256 * 1024;

/**
 * Reads server-sent events (WHATWG HTML, section 9.2.6) piece by piece, and gives the data of each event. The other
 * fields have no meaning here. Lines and events have a limit, and each character is looked at once, however small the
 * pieces are.
 */
export class EventStreamParser {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #line: string[] = [];
  #lineLength = 0;
  #data: string[] = [];
  #dataLength = 0;
  #endedWithReturn = false;

  /** The data of the events that end in this piece. Throws UPSTREAM_FAILED for bytes that are not an event stream. */
  push(piece: Uint8Array): string[] {
    const decoded = this.#decode(piece);
    if (decoded === "") return [];
    // The line feed of a pair whose carriage return was the end of the piece before.
    const text = this.#endedWithReturn && decoded.startsWith("\n") ? decoded.slice(1) : decoded;
    this.#endedWithReturn = decoded.endsWith("\r");
    const events: string[] = [];
    let start = 0;
    for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#add(text.slice(start, index));
      start = index + lineEnd.length;
      const event = this.#endLine();
      if (event !== undefined) events.push(event);
    }
    this.#add(text.slice(start));
    return events;
  }

  #decode(piece: Uint8Array): string {
    try {
      return this.#decoder.decode(piece, { stream: true });
    } catch {
      throw broken("is not UTF-8");
    }
  }

  #add(part: string): void {
    if (part === "") return;
    this.#lineLength += part.length;
    if (this.#lineLength > maxLineCharacters) throw broken("has a line that is too long");
    this.#line.push(part);
  }

  /** The data of the event that an empty line ends. An event without data is none. */
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
    if (this.#dataLength > maxEventCharacters) throw broken("has an event that is too long");
    this.#data.push(value);
    return undefined;
  }
}

/** The value of a line `data: value`; undefined for a comment or another field. */
function dataOf(line: string): string | undefined {
  if (line === "data") return "";
  if (!line.startsWith("data:")) return undefined;
  return line.startsWith("data: ") ? line.slice(6) : line.slice(5);
}

const broken = (how: string) => new DomainError("UPSTREAM_FAILED", { detail: `The vendor's event stream ${how}.` });
