import type { Finding } from "@factory/template-engine/finding";

/** The finding for a check that was ended by a limit; without it an unfinished check would look successful. */
export function cutCheck(check: string, cut: "timeout" | "memory", limitMs: number): Finding {
  const timedOut = cut === "timeout";
  return {
    check,
    severity: "Error",
    code: timedOut ? "CheckTimedOut" : "CheckOutOfMemory",
    message: timedOut
      ? `The checks took longer than ${limitMs / 1000} s and were ended. A regular expression of the template may backtrack without end.`
      : "The check needed more memory than it may use and was ended. Make the template or its largest files smaller.",
    path: null,
    pointer: null,
    line: null,
    column: null,
    suggestion: null,
  };
}
