import { token } from "../content/byte-trie.js";
import { replacement } from "../content/replacement.js";
import { TextPass } from "../content/text-run.js";

/** Replaces parts of whole relative paths, the longest part first, each place once. */
export class PathRename {
  readonly #pass: TextPass | null;

  /** Of two equal parts the last one counts that changes anything. */
  constructor(parts: Iterable<readonly [string, string]>) {
    const operations = [...parts].map(([from, to]) => replacement(token(from), to)).filter((one) => one !== null);
    this.#pass = operations.length === 0 ? null : new TextPass(operations);
  }

  apply(path: string): string {
    if (this.#pass === null) return path;
    return Buffer.from(this.#pass.apply(Buffer.from(path, "utf8"))).toString("utf8");
  }
}
