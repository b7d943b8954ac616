export interface Failure {
  readonly suite: string;
  readonly title: string;
}

/** The Node flags with which a checkout runs Jest, read from its script `test`. */
export const flagsOf = (script: string): string[] =>
  (/\bnode (.*?)node_modules\/jest\/bin\/jest\.js/.exec(script)?.[1] ?? "").split(" ").filter((flag) => flag !== "");

/** The first failure that Jest has printed. With `--bail`, Jest ends before it writes a report as JSON. */
export function failureIn(output: string): Failure {
  const failedSuite = /^FAIL .*?(\S+\.test\.ts)/m.exec(output);
  if (failedSuite === null) return { suite: "", title: `Jest ends: ${output.slice(-300)}` };
  const [, title = "the suite does not run"] = /^ +● (.+)$/m.exec(output.slice(failedSuite.index)) ?? [];
  return { suite: failedSuite[1] ?? "", title };
}
