import { afterLineEnd } from "./byte-sink.js";
import { type Token, token } from "./byte-trie.js";
import type { Operation, TextRun } from "./text-run.js";

const flagSigns = "flags";
const silentMark = ":noEmit";

interface FlagTokens {
  on: string;
  off: string;
  onSilent: string;
  offSilent: string;
}

/** Turns a flag on or off from inside a file. The form with `noEmit` also removes the rest of its line. */
export class SetFlag implements Operation {
  readonly tokens: readonly Token[];
  readonly startsOn = true;
  readonly #flag: string;
  readonly #initial: boolean | null;

  constructor(
    flag: string,
    texts: FlagTokens,
    readonly id: string | null = null,
    initial: boolean | null = null,
  ) {
    this.#flag = flag;
    this.#initial = initial;
    this.tokens = [texts.on, texts.off, texts.onSilent, texts.offSilent].map(token);
  }

  begin(run: TextRun): void {
    if (this.#initial !== null) run.setFlag(this.#flag, this.#initial);
  }

  handle(run: TextRun, index: number): void {
    const listening = run.flag(flagSigns) !== false;
    if (index < 2 || !listening) {
      const shownToken = this.tokens[index];
      if (shownToken !== undefined) run.output.write(shownToken.core);
    } else {
      run.position = afterLineEnd(run.source, run.position);
    }
    const on = index % 2 === 0;
    if (listening || (this.#flag === flagSigns && on)) run.setFlag(this.#flag, on);
  }
}

/** Makes the operations for the flags that every file has, with the file's comment prefix. */
export function standardFlags(prefix: string): SetFlag[] {
  return [
    switchFor("conditional", prefix, "cnd"),
    switchFor("replacement", prefix, "replacements"),
    switchFor("expandvariables", prefix, "vars"),
    switchFor("include", prefix, "include"),
    // the flag that controls flags can only be turned on
    new SetFlag(flagSigns, {
      on: `${prefix}+:flags`,
      off: "",
      onSilent: `${prefix}+:flags${silentMark}`,
      offSilent: "",
    }),
  ];
}

export function switchFor(flag: string, prefix: string, name: string): SetFlag {
  return new SetFlag(flag, {
    on: `${prefix}+:${name}`,
    off: `${prefix}-:${name}`,
    onSilent: `${prefix}+:${name}${silentMark}`,
    offSilent: `${prefix}-:${name}${silentMark}`,
  });
}
