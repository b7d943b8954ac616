import { ByteSink } from "./byte-sink.js";
import { ByteTrie, type Token } from "./byte-trie.js";

/** Handles tokens in a file. Its state belongs to one file. */
export interface Operation {
  /** An operation with an id acts only while the flag with that name is on. */
  readonly id: string | null;
  readonly startsOn: boolean;
  readonly tokens: readonly Token[];
  /** Resets the state at the start of a file. */
  begin(run: TextRun): void;
  /** Called with `run.position` after the token. Writes the replacement and may move the position on. */
  handle(run: TextRun, tokenIndex: number): void;
}

interface Hit {
  readonly operation: Operation;
  readonly index: number;
}

/** Operations that are applied to one file after another. */
export class TextPass {
  readonly #trie = new ByteTrie<Hit>();
  readonly #operations: readonly Operation[];

  constructor(operations: readonly Operation[]) {
    this.#operations = operations;
    for (const operation of operations) {
      operation.tokens.forEach((token, index) => {
        this.#trie.add(token, { operation, index });
      });
    }
  }

  /** Processes a text from left to right; returns the source itself when nothing changed. */
  apply(source: Uint8Array): Uint8Array {
    const run = new TextRun(source, this.#operations);
    for (const operation of this.#operations) operation.begin(run);
    const trie = this.#trie;
    for (;;) {
      const at = trie.candidate(source, run.position);
      if (at >= source.length) break;
      const hit = trie.match(source, at);
      if (hit === undefined) {
        run.position = at + 1;
        continue;
      }
      // an inactive operation's token still hides shorter and later tokens
      run.position = at + trie.length;
      if (hit.operation.id === null || run.flag(hit.operation.id) === true) run.dispatch(hit.operation, hit.index, at);
    }
    return run.finish();
  }
}

export class TextRun {
  position = 0;
  #pending = 0;
  #sink: ByteSink | null = null;
  readonly #flags = new Map<string, boolean>();

  constructor(
    readonly source: Uint8Array,
    operations: readonly Operation[],
  ) {
    for (const operation of operations) {
      if (operation.id !== null && !this.#flags.has(operation.id)) this.#flags.set(operation.id, operation.startsOn);
    }
  }

  flag(name: string): boolean | undefined {
    return this.#flags.get(name);
  }

  setFlag(name: string, on: boolean): void {
    this.#flags.set(name, on);
  }

  dispatch(operation: Operation, index: number, at: number): void {
    this.output.write(this.source, this.#pending, at);
    this.#pending = this.position;
    operation.handle(this, index);
    this.#pending = this.position;
  }

  /** The output so far; it contains everything before the current token. */
  get output(): ByteSink {
    this.#sink ??= new ByteSink(this.source.length + 256);
    return this.#sink;
  }

  finish(): Uint8Array {
    if (this.#sink === null) return this.source;
    this.#sink.write(this.source, this.#pending, this.source.length);
    return this.#sink.toBuffer();
  }
}
