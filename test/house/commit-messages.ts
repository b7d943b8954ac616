/** A commit as `git log` shows it. */
export interface CommitMessage {
  /** Empty for a commit that is being written. */
  readonly hash: string;
  readonly text: string;
}

const maxSubject = 72;
const types = ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];
/** Changes of these types say all in their subject. */
const mechanical = new Set(["docs", "style", "chore"]);
const form = new RegExp(`^(${types.join("|")})(\\([a-z0-9-]+\\))?!?: \\S.*[^.]$`);

/** The rules that a message breaks (Conventional Commits 1.0.0). A merge that git describes itself has no rules. */
export function problemsOf({ text }: CommitMessage): string[] {
  const [subject = "", second = "", ...body] = text.trimEnd().split("\n");
  if (/^(Merge|Revert) /.test(subject)) return [];
  const problems: string[] = [];
  const type = form.exec(subject)?.[1];
  if (type === undefined)
    problems.push(`the subject is not "type(scope): text" without a period, with a type of ${types.join(", ")}`);
  if (subject.length > maxSubject)
    problems.push(`the subject has ${subject.length} characters, and ${maxSubject} are allowed`);
  if (second !== "") problems.push("no empty line is between subject and body");
  const isMechanical = type !== undefined && mechanical.has(type);
  if (!isMechanical && body.every((line) => line.trim() === "")) problems.push("no body says why the change is made");
  return problems;
}

const endOfCommit = "\0";

/** The format for `git log` that `parseLog` reads. */
export const logFormat = "--format=%H%n%B%x00";

export function parseLog(output: string): CommitMessage[] {
  const commits = output.split(endOfCommit).map((commit) => commit.trim());
  return commits
    .filter((commit) => commit !== "")
    .map((commit) => {
      const [hash = "", ...lines] = commit.split("\n");
      return { hash, text: lines.join("\n") };
    });
}
