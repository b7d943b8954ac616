import { afterBlanks, afterLineEnd, lineEnd } from "./byte-sink.js";
import { ByteTrie, type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

export const conditionalFlag = "conditional";

/** Evaluates the condition at `position`; `end` is the position after it. */
export type EvaluateAt = (source: Uint8Array, position: number) => { value: boolean; end: number };

interface IfDirectiveTokens {
  if: readonly string[];
  elseif: readonly string[];
  else: readonly string[];
  endif: readonly string[];
  /** Keywords that also turn on `actions` inside their branch. */
  actionableIf: readonly string[];
  actionableElseif: readonly string[];
  actionableElse: readonly string[];
  actions: readonly string[];
}

interface IfDirectiveSettings {
  tokens: IfDirectiveTokens;
  wholeLine: boolean;
  trim: boolean;
  evaluate: EvaluateAt;
  id: string | null;
  startsOn: boolean;
}

type Keyword = "if" | "elseif" | "else" | "endif";
interface Mark {
  keyword: Keyword;
  actionable: boolean;
}

interface Level {
  taken: boolean;
  acting: boolean;
}

/** Processes `#if`, `#elseif`, `#else` and `#endif` in one comment style: writes the branch whose condition is true. */
export class IfDirective implements Operation {
  readonly id: string | null;
  readonly startsOn: boolean;
  readonly tokens: readonly Token[];
  readonly #marks: readonly Mark[];
  readonly #trie = new ByteTrie<Mark>();
  #levels: Level[] = [];
  readonly #settings: IfDirectiveSettings;

  constructor(settings: IfDirectiveSettings) {
    this.#settings = settings;
    this.id = settings.id;
    this.startsOn = settings.startsOn;
    const markedTokens = listMarks(settings.tokens);
    this.tokens = markedTokens.map(([text]) => token(text));
    this.#marks = markedTokens.map(([, mark]) => mark);
    for (const [text, mark] of markedTokens) this.#trie.add(token(text), mark);
  }

  begin(): void {
    this.#levels = [];
  }

  handle(run: TextRun, index: number): void {
    const mark = this.#marks[index];
    const shownToken = this.tokens[index];
    if (mark === undefined || shownToken === undefined) return;
    const opens = mark.keyword === "if";
    // a keyword without its `#if` is ordinary text
    if (run.flag(conditionalFlag) === false || (!opens && this.#levels.length === 0)) {
      run.output.write(shownToken.core);
      return;
    }
    if (this.#settings.wholeLine) run.output.cutToLineStart();
    else if (this.#settings.trim) run.output.trimBlanks();
    this.#follow(run, mark);
  }

  /** Goes from keyword to keyword until it enters a branch or leaves the block. */
  #follow(run: TextRun, first: Mark): void {
    let mark = first;
    for (;;) {
      if (mark.keyword === "if") this.#levels.push({ taken: false, acting: false });
      const level = this.#levels.at(-1);
      if (level === undefined) return;
      if (mark.keyword === "endif") {
        this.#leave(run);
        this.#afterEnd(run);
        return;
      }
      if (level.taken) {
        this.#skipRest(run);
        return;
      }
      if (mark.keyword === "else") {
        this.#enterElse(run, level, mark.actionable);
        return;
      }
      const { value, end } = this.#settings.evaluate(run.source, run.position);
      run.position = end;
      if (value) {
        level.taken = true;
        if (this.#settings.wholeLine) run.position = afterLineEnd(run.source, run.position);
        if (mark.actionable) this.#act(run, level, true);
        return;
      }
      mark = this.#nextAtLevel(run);
    }
  }

  #enterElse(run: TextRun, level: Level, actionable: boolean): void {
    if (actionable) this.#act(run, level, true);
    level.taken = true;
    if (this.#settings.wholeLine) {
      run.output.trimBlanks();
      run.position = afterLineEnd(run.source, run.position);
    } else if (this.#settings.trim) {
      run.output.trimBlanks();
      trimForward(run);
    }
  }

  /** Skips the rest of the block, since an earlier branch was written. */
  #skipRest(run: TextRun): void {
    run.output.cutToLineStart(true);
    let mark = this.#nextAtLevel(run);
    while (mark.keyword !== "endif") mark = this.#nextAtLevel(run);
    this.#leave(run);
    if (this.#settings.wholeLine) run.position = lineEnd(run.source, run.position);
    else if (this.#settings.trim) trimForward(run);
  }

  #leave(run: TextRun): void {
    this.#levels.pop();
    const outer = this.#levels.at(-1);
    if (outer === undefined) this.#toggle(run, false);
    else this.#toggle(run, outer.acting);
  }

  #afterEnd(run: TextRun): void {
    if (this.#settings.wholeLine) run.position = afterLineEnd(run.source, run.position);
    else if (this.#settings.trim) trimForward(run);
  }

  #act(run: TextRun, level: Level, on: boolean): void {
    level.acting = on;
    this.#toggle(run, on);
  }

  #toggle(run: TextRun, on: boolean): void {
    for (const action of this.#settings.tokens.actions) run.setFlag(action, on);
  }

  /** This block's next keyword; inner blocks are skipped. The end of the file ends all blocks. */
  #nextAtLevel(run: TextRun): Mark {
    if (this.#settings.wholeLine) run.position = afterLineEnd(run.source, run.position);
    let depth = 0;
    for (;;) {
      const mark = this.#nextMark(run);
      if (mark === undefined) return endOfFile;
      if (mark.keyword === "if") depth++;
      else if (depth === 0) return mark;
      else if (mark.keyword === "endif") depth--;
    }
  }

  #nextMark(run: TextRun): Mark | undefined {
    const { source } = run;
    let at = this.#trie.candidate(source, run.position);
    while (at < source.length) {
      const mark = this.#trie.match(source, at);
      if (mark !== undefined) {
        run.position = at + this.#trie.length;
        return mark;
      }
      at = this.#trie.candidate(source, at + 1);
    }
    run.position = source.length;
    return undefined;
  }
}

const endOfFile: Mark = { keyword: "endif", actionable: false };

function trimForward(run: TextRun): void {
  const at = afterBlanks(run.source, run.position);
  run.position = lineEnd(run.source, at) === at ? afterLineEnd(run.source, at) : at;
}

function listMarks(tokens: IfDirectiveTokens): [string, Mark][] {
  const list: [string, Mark][] = [];
  const add = (texts: readonly string[], keyword: Keyword, actionable: boolean) => {
    for (const text of texts) list.push([text, { keyword, actionable }]);
  };
  add(tokens.if, "if", false);
  add(tokens.else, "else", false);
  add(tokens.elseif, "elseif", false);
  add(tokens.endif, "endif", false);
  add(tokens.actionableIf, "if", true);
  add(tokens.actionableElse, "else", true);
  add(tokens.actionableElseif, "elseif", true);
  return list;
}
