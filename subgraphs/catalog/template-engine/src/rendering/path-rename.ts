import { token } from "../content/byte-trie.js";
import { replacement } from "../content/replacement.js";
import { TextPass } from "../content/text-run.js";

/** Replaces parts in relative paths. The longest part wins, and each place is replaced once. */
export class PathRename {
  readonly #pass: TextPass | null;

  /** When two parts are equal, the last one with a different replacement wins. */
  constructor(parts: Iterable<readonly [string, string]>) {
    const operations = [...parts]
      .map(([from, to]) => replacement(token(from), to))
      .filter((operation) => operation !== null);
    this.#pass = operations.length === 0 ? null : new TextPass(operations);
  }

  apply(path: string): string {
    if (this.#pass === null) return path;
    return Buffer.from(this.#pass.apply(Buffer.from(path, "utf8"))).toString("utf8");
  }
}
