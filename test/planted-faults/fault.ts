/** A change to one product source that breaks one rule. `find` stands in the file exactly once. */
export interface Fault {
  readonly rule: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A change to a text that breaks what the text says. `replace` may name the pattern's groups, as `$1`. */
export interface Edit {
  readonly pattern: RegExp;
  readonly replace: string;
}

/** A kind of rule, and the edits that break it in the files that hold it. */
export interface Rule {
  readonly rule: string;
  readonly files: RegExp;
  readonly edits: readonly Edit[];
}

/** One planted fault's outcome. */
export interface Outcome {
  readonly fault: Fault;
  readonly result: "found" | "MISSED" | "out of time" | "not planted";
  /** The suite and the case that found it, or the reason why it was not planted. */
  readonly by: string;
  readonly seconds: number;
}
