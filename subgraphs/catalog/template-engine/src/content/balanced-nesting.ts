import { type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const realEnd = 1;
const pseudoEnd = 2;

/** Replaces an inner comment's pseudo end with a real end when the outer comment was removed. */
export class BalancedNesting implements Operation {
  readonly tokens: readonly Token[];
  #depth = 0;
  readonly #resetFlag: string;

  constructor(
    texts: { start: string; realEnd: string; pseudoEnd: string },
    readonly id: string | null,
    resetFlag: string,
    readonly startsOn = false,
  ) {
    this.#resetFlag = resetFlag;
    this.tokens = [token(texts.start), token(texts.realEnd), token(texts.pseudoEnd)];
  }

  begin(): void {
    this.#depth = 0;
  }

  handle(run: TextRun, index: number): void {
    if (run.flag(this.#resetFlag) === true) {
      run.setFlag(this.#resetFlag, false);
      this.#depth = 0;
    }
    this.#depth += index === 0 ? 1 : -1;
    const tokenIndex = this.#depth === 0 && index === pseudoEnd ? realEnd : index;
    const token = this.tokens[tokenIndex];
    if (token !== undefined) run.output.write(token.core);
  }
}
