import { parseLog, problemsOf } from "./commit-messages.js";

const problems = (text: string) => problemsOf({ hash: "", text });

describe("a commit message", () => {
  it.each([
    "feat(catalog): a template has tags\n\nPeople look for templates by topic.\n",
    "fix!: tokens end with their session\n\nA stolen token outlived it.",
    "docs: the guide names the port",
    "style(test): the formatter's lines",
    "Merge branch 'walks'",
  ])("in its form is accepted: %j", (text) => {
    expect(problems(text)).toEqual([]);
  });

  it.each([
    ["feat: no reason", "no body says why"],
    ["test: no reason\n\n  \n", "no body says why"],
    ["Fixed the build\n\nIt was red.", "the subject is not"],
    ["fix(catalog): it ends with a period.\n\nWhy.", "the subject is not"],
    [`feat: ${"a".repeat(70)}\n\nWhy.`, "the subject has 76 characters, and 72 are allowed"],
    ["feat: a body at once\nWhy.", "no empty line"],
  ])("that breaks a rule is refused: %j", (text, problem) => {
    expect(problems(text).join("\n")).toContain(problem);
  });

  it("is read from the log with its body", () => {
    const log = "a1\nfeat: one\n\nWhy.\n\n\0\nb2\ndocs: two\n\0\n";
    expect(parseLog(log)).toEqual([
      { hash: "a1", text: "feat: one\n\nWhy." },
      { hash: "b2", text: "docs: two" },
    ]);
  });
});
