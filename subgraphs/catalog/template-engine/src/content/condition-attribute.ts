import { afterLineEnd } from "./byte-sink.js";
import { ByteTrie, type Token, token } from "./byte-trie.js";
import { conditionalFlag } from "./if-directive.js";
import type { Operation, TextRun } from "./text-run.js";

const conditionStart = 'Condition="';
const doubleQuote = 0x22;
const lessThan = 0x3c;

type Piece = "open" | "openEnd" | "close" | "selfClose" | "openComment" | "closeComment";

/** Evaluates a Condition attribute's text; undefined when MSBuild has to evaluate it. */
export type EvaluateAttribute = (condition: string) => boolean | undefined;

/** `Condition="…"` on MSBuild elements: true removes the attribute, false the element; an unknown one stays. */
export class ConditionAttribute implements Operation {
  readonly id = "msbuild-conditional";
  readonly startsOn = true;
  readonly tokens: readonly Token[] = [token(conditionStart)];
  readonly #structure = new ByteTrie<Piece>();
  readonly #evaluate: EvaluateAttribute;

  constructor(evaluate: EvaluateAttribute) {
    this.#evaluate = evaluate;
    const pieces: [string, Piece][] = [
      ["<", "open"],
      ["</", "openEnd"],
      [">", "close"],
      ["/>", "selfClose"],
      ["<!--", "openComment"],
      ["-->", "closeComment"],
    ];
    for (const [text, piece] of pieces) this.#structure.add(token(text), piece);
  }

  begin(): void {}

  handle(run: TextRun): void {
    const opening = this.tokens[0];
    if (opening === undefined) return;
    const start = run.position;
    const quote = run.source.indexOf(doubleQuote, start);
    const value = run.flag(conditionalFlag) === false || quote === -1 ? undefined : this.#decide(run, start, quote);
    if (value === undefined) {
      run.output.write(opening.core);
      return;
    }
    run.position = quote + 1;
    if (value) {
      run.output.trimBlanks();
      return;
    }
    run.output.cutAtLast(lessThan);
    this.#skipElement(run);
    run.output.trimBlanks();
    run.position = afterLineEnd(run.source, run.position);
  }

  #decide(run: TextRun, start: number, end: number): boolean | undefined {
    return this.#evaluate(Buffer.from(run.source.subarray(start, end)).toString("utf8"));
  }

  #skipElement(run: TextRun): void {
    const { source } = run;
    const state = { depth: 1, inElement: true, inComment: false };
    let at = this.#structure.candidate(source, run.position);
    while (at < source.length) {
      const piece = this.#structure.match(source, at);
      if (piece === undefined) {
        at = this.#structure.candidate(source, at + 1);
        continue;
      }
      at += this.#structure.length;
      advance(state, piece);
      if (state.depth === 0) {
        run.position = at;
        return;
      }
      // dotnet new skips the byte after each piece too
      at = this.#structure.candidate(source, at + 1);
    }
    run.position = source.length;
  }
}

function advance(state: { depth: number; inElement: boolean; inComment: boolean }, piece: Piece): void {
  if (state.inComment) {
    state.inComment = piece !== "closeComment";
    return;
  }
  switch (piece) {
    case "openComment":
      state.inComment = true;
      return;
    case "open":
      state.depth++;
      state.inElement = true;
      return;
    case "selfClose":
      state.depth--;
      state.inElement = false;
      return;
    case "close":
      if (state.inElement) state.inElement = false;
      else state.depth--;
      return;
    case "openEnd":
      state.inElement = false;
      return;
    case "closeComment":
      return;
  }
}
