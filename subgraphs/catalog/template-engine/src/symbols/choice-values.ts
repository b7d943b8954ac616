import type { SymbolChoice } from "../configuration/template-config.js";
import { ordinalKey } from "../text/invariant-case.js";

/** A symbol's choices, folded once: a text may have very many parts that are each looked up. */
export class ChoiceNames {
  /** The names by their folded form. Among names that differ in case only, the first counts. */
  readonly #names = new Map<string, string>();
  readonly #sorted: readonly string[];

  constructor(choices: readonly SymbolChoice[]) {
    for (const { choice } of choices) {
      const key = ordinalKey(choice);
      if (!this.#names.has(key)) this.#names.set(key, choice);
    }
    this.#sorted = [...this.#names.keys()].sort();
  }

  /** Finds a choice by its case-insensitive name or by a unique prefix. An empty text is allowed. */
  find(text: string): string | undefined {
    const key = ordinalKey(text);
    return this.#names.get(key) ?? this.#onlyBeginning(key) ?? (text === "" ? "" : undefined);
  }

  /** In the template's order. */
  beginningWith(text: string): string[] {
    const key = ordinalKey(text);
    return [...this.#names].flatMap(([form, name]) => (form.startsWith(key) ? [name] : []));
  }

  #onlyBeginning(key: string): string | undefined {
    let first = 0;
    for (let end = this.#sorted.length; first < end; ) {
      const middle = (first + end) >> 1;
      if ((this.#sorted[middle] ?? "") < key) first = middle + 1;
      else end = middle;
    }
    const [name, next] = this.#sorted.slice(first, first + 2);
    return name?.startsWith(key) && !next?.startsWith(key) ? this.#names.get(name) : undefined;
  }
}

const namesByChoices = new WeakMap<readonly SymbolChoice[], ChoiceNames>();

export function choiceNames(choices: readonly SymbolChoice[]): ChoiceNames {
  const names = namesByChoices.get(choices) ?? new ChoiceNames(choices);
  namesByChoices.set(choices, names);
  return names;
}

/** The parts of a text for a symbol with allowMultipleValues. */
export function choiceParts(text: string): string[] {
  return text
    .split(/[|,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
