import type { Token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

export const REPLACEMENT_FLAG = "replacement";

/** Replaces one token by fixed bytes. */
export class Replacement implements Operation {
  readonly tokens: readonly Token[];

  constructor(
    private readonly token: Token,
    private readonly bytes: Buffer,
    readonly id: string | null = null,
    readonly startsOn = true,
  ) {
    this.tokens = [token];
  }

  begin(): void {}

  handle(run: TextRun): void {
    run.output.write(run.flag(REPLACEMENT_FLAG) === false ? this.token.core : this.bytes);
  }
}

/** A replacement by the same text is left out, so that it never hides another token. */
export function replacement(token: Token, text: string): Replacement | null {
  const bytes = Buffer.from(text, "utf8");
  return token.core.equals(bytes) ? null : new Replacement(token, bytes);
}
