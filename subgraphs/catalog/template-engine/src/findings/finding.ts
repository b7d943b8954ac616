export type FindingSeverity = "Error" | "Warning" | "Info";

/** One remark of a check, in the words of a validation result. */
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
