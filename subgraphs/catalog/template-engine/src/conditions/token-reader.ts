/** Finds the longest operator or variable name at a position. */
export class TokenReader<T> {
  readonly #byFirst = new Map<string, [string, T][]>();

  constructor(tokens: Iterable<readonly [string, T]>) {
    for (const [text, value] of tokens) {
      if (text === "") continue;
      const first = text.charAt(0);
      const list = this.#byFirst.get(first);
      if (list === undefined) this.#byFirst.set(first, [[text, value]]);
      else list.push([text, value]);
    }
    for (const list of this.#byFirst.values()) list.sort((x, y) => y[0].length - x[0].length);
  }

  at(text: string, position: number): { text: string; value: T } | undefined {
    const list = this.#byFirst.get(text.charAt(position));
    if (list === undefined) return undefined;
    for (const [spelling, value] of list) {
      if (text.startsWith(spelling, position)) return { text: spelling, value };
    }
    return undefined;
  }
}
