import type { Finding } from "@factory/template-engine/finding";

/** A check that did not come to its end says so: its silence would read as success. */
export function cutCheck(check: string, cut: "timeout" | "memory", limitMs: number): Finding {
  const timedOut = cut === "timeout";
  return {
    check,
    severity: "Error",
    code: timedOut ? "CheckTimedOut" : "CheckOutOfMemory",
    message: timedOut
      ? `The checks did not end within ${limitMs / 1000} s; a pattern or an expression of the template may never end.`
      : "The check needs too much memory.",
    path: null,
    pointer: null,
    line: null,
    column: null,
    suggestion: null,
  };
}
