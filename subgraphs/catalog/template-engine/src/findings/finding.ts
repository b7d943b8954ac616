/** An Error fails the check, a Warning does not, an Info is a remark. */
export type FindingSeverity = "Error" | "Warning" | "Info";

/** A check's finding. `pointer` is a JSON pointer; `line` and `column` count from 1. */
export interface Finding {
  check: string;
  severity: FindingSeverity;
  code: string;
  message: string;
  path: string | null;
  pointer: string | null;
  line: number | null;
  column: number | null;
  suggestion: string | null;
}
