import type { Token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const replacementFlag = "replacement";

/** Replaces a token with fixed bytes. */
export class Replacement implements Operation {
  readonly tokens: readonly Token[];
  readonly #token: Token;
  readonly #bytes: Buffer;

  constructor(
    token: Token,
    bytes: Buffer,
    readonly id: string | null = null,
    readonly startsOn = true,
  ) {
    this.#token = token;
    this.#bytes = bytes;
    this.tokens = [token];
  }

  begin(): void {}

  handle(run: TextRun): void {
    run.output.write(run.flag(replacementFlag) === false ? this.#token.core : this.#bytes);
  }
}

/** Null when the text would not change: such a replacement could only hide a shorter token. */
export function replacement(token: Token, text: string): Replacement | null {
  const bytes = Buffer.from(text, "utf8");
  return token.core.equals(bytes) ? null : new Replacement(token, bytes);
}
