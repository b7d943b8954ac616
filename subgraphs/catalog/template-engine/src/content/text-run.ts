import { ByteSink } from "./byte-sink.js";
import { ByteTrie, type Token } from "./byte-trie.js";

/** Something that reacts to tokens in a file. Its state lives as long as one file. */
export interface Operation {
  /** Operations with an id act only while the flag of that name is on. */
  readonly id: string | null;
  readonly startsOn: boolean;
  readonly tokens: readonly Token[];
  /** Forgets the file before. */
  begin(run: TextRun): void;
  /** Called with `run.position` behind the token; moves it on, writes what shall stand there. */
  handle(run: TextRun, tokenIndex: number): void;
}

interface Hit {
  readonly operation: Operation;
  readonly index: number;
}

/** One set of operations, usable for many files one after the other. */
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

  /** One left-to-right pass; returns the source itself when nothing in it was touched. */
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
      // a token whose operation is off still hides shorter and later tokens
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

  /** What was written so far; everything before the current token is in it. */
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
