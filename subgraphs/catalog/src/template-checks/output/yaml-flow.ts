interface Place {
  line: number;
  column: number;
}

/** Follows quotes and brackets of a YAML value, over as many lines as they stay open. */
export class FlowReader {
  readonly #closing: string[] = [];
  #quote: string | undefined;
  readonly #start: Place;

  constructor(start: Place = { line: 0, column: 0 }) {
    this.#start = start;
  }

  get isOpen(): boolean {
    return this.#quote !== undefined || this.#closing.length > 0;
  }

  leftOpen(): (Place & { message: string }) | undefined {
    if (!this.isOpen) return undefined;
    const message = this.#quote === undefined ? `"${this.#closing.at(-1)}" is missing` : "a quote is left open";
    return { message, ...this.#start };
  }

  /** Reads until all is closed or the text ends; `place` is that of its first character. */
  read(text: string, place: Place): (Place & { message: string }) | undefined {
    for (let at = 0; at < text.length; at++) {
      if (this.#quote !== undefined) at += this.#inQuote(text, at);
      else if (startsComment(text, at)) return undefined;
      else if (!this.#outside(text, at))
        return { message: `"${text.charAt(at)}" closes nothing`, line: place.line, column: place.column + at };
      if (!this.isOpen) return undefined;
    }
    return undefined;
  }

  /** How many further characters belong to the one at hand. */
  #inQuote(text: string, at: number): number {
    const character = text.charAt(at);
    const escaped = this.#quote === '"' ? character === "\\" : character === "'" && text[at + 1] === "'";
    if (escaped) return 1;
    if (character === this.#quote) this.#quote = undefined;
    return 0;
  }

  #outside(text: string, at: number): boolean {
    const character = text.charAt(at);
    if (/["']/.test(character) && /^$|[\s,:[{]/.test(text.charAt(at - 1))) this.#quote = character;
    else if (character === "[") this.#closing.push("]");
    else if (character === "{") this.#closing.push("}");
    else if (character === "]" || character === "}") return this.#closing.pop() === character;
    return true;
  }
}

function startsComment(text: string, at: number): boolean {
  return text[at] === "#" && /^$|\s/.test(text.charAt(at - 1));
}
