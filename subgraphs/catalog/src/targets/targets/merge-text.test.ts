import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { GitError, git } from "../../git/git/git.js";
import { mergeText } from "./merge-text.js";

const merge = (base: string, ours: string, theirs: string, comparisons = 1e8, lineBudget = 1e6) => {
  const bytes = (text: string) => Buffer.from(text);
  const remaining = { comparisons, lines: lineBudget };
  const mergeResult = mergeText({ base: bytes(base), ours: bytes(ours), theirs: bytes(theirs) }, remaining);
  if (mergeResult === "unmergeable") return mergeResult;
  return "bytes" in mergeResult ? Buffer.from(mergeResult.bytes).toString() : mergeResult.conflictingHunks;
};
const lines = (between: string, count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index}\n${between}`).join("");
const crlf = (text: string) => text.replaceAll("\n", "\r\n");

describe("merging texts by lines", () => {
  const base = "1\n2\n3\n4\n5\n";

  it.each([
    ["changes of both sides at different places", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n", "one\n2\n3\n4\nfive\n"],
    ["the same change of both", "1\nX\n3\n4\n5\n", "1\nX\n3\n4\n5\n", "1\nX\n3\n4\n5\n"],
    ["the same change beside another", "X\n2\n3\n4\n5\n", "X\n2\n3\n4\nY\n", "X\n2\n3\n4\nY\n"],
    ["lines added by one and removed by the other", "0\n1\n2\n3\n4\n5\n", "1\n2\n3\n5\n", "0\n1\n2\n3\n5\n"],
    ["an end of file that one side gave no line end", "1\n2\n3\n4\n5", "0\n1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n5"],
    [
      "lines named like members of an object",
      "__proto__\n1\n2\n3\n4\n5\n",
      `${base}toString\n`,
      `__proto__\n${base}toString\n`,
    ],
  ])("takes %s", (_, ours, theirs, expectedText) => {
    expect(merge(base, ours, theirs)).toBe(expectedText);
  });

  it.each([
    ["one line changed by both", "1\nA\n3\n4\n5\n", "1\nB\n3\n4\n5\n", 1],
    ["two places", "A\n2\n3\n4\nA\n", "B\n2\n3\n4\nB\n", 2],
    ["a line changed by one and removed by the other", "1\n2\nA\n4\n5\n", "1\n2\n4\n5\n", 1],
    ["different lines added at the same place", "1\n2\n3\n4\n5\nA\n", "1\n2\n3\n4\n5\nB\n", 1],
    ["neighbouring lines", "1\nA\n3\n4\n5\n", "1\n2\nB\n4\n5\n", 1],
  ])("counts the places of %s", (_, ours, theirs, expectedCount) => {
    expect(merge(base, ours, theirs)).toBe(expectedCount);
  });

  it("keeps the line ends of the side that changed them", () => {
    const ours = base.replace("1", "one");
    const theirs = base.replace("5", "five");
    const both = ours.replace("5", "five");
    expect(merge(crlf(base), crlf(ours), crlf(theirs))).toBe(crlf(both));
    expect(merge(base, crlf(ours), theirs)).toBe(crlf(both));
    expect(merge(base, ours, crlf(theirs))).toBe(crlf(both));
    expect(merge(crlf(base), ours, crlf(theirs))).toBe(both);
    expect(merge(base, crlf(base), theirs)).toBe(crlf(theirs));
  });

  it("gives up a file of very many lines, and any once the lines of all files together are too many", () => {
    const many = lines("", 50_001);
    expect(merge(many, `0\n${many}`, `${many}1\n`)).toBe("unmergeable");
    expect(merge("\n".repeat(250_001), "\n", "1\n")).toBe("unmergeable");
    const sides = [base, base.replace("1", "one"), base.replace("5", "five")] as const;
    expect(merge(...sides, 1e8, 15)).toBe("one\n2\n3\n4\nfive\n");
    expect(merge(...sides, 1e8, 14)).toBe("unmergeable");
  });

  it("leaves mixed line ends as they are", () => {
    expect(merge("1\r\n2\n3\r\n4\n", "1\r\n2\n3\r\nfour\n", "one\r\n2\n3\r\n4\n")).toBe("one\r\n2\n3\r\nfour\n");
  });

  it("keeps every byte of text in any encoding", () => {
    const bytes = (first: number, last: number) => Buffer.from([first, 0xff, 10, 0xfe, 10, last, 0xe4]);
    const sides = { base: bytes(1, 1), ours: bytes(2, 1), theirs: bytes(1, 3) };
    expect(mergeText(sides, { comparisons: 100, lines: 100_000 })).toEqual({ bytes: bytes(2, 3) });
  });

  it("does not merge binary files, or texts that take too long", () => {
    expect(merge("1\n\0\n2\n", "A\n\0\n2\n", "1\n\0\nB\n")).toBe("unmergeable");
    const many = (mark: string) => `${mark}1\n${"x\n".repeat(3_000)}${mark}2\n`;
    expect(merge(many(""), many("A"), many("B"))).toBe("unmergeable");
    const blanks = (change: string) => lines(`${"\n".repeat(50)}${change}\n`, 100);
    expect(merge(blanks("x"), blanks("A"), blanks("x"))).toBe(blanks("A"));
  });

  it("merges very long texts that differ in few places quickly", () => {
    const long = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
    const text = (change: Record<number, string>) => long.map((line, index) => change[index] ?? line).join("\n");
    const mergeResult = merge(text({}), text({ 99_000: "ours" }), text({ 101_000: "theirs" }));
    expect(mergeResult).toBe(text({ 99_000: "ours", 101_000: "theirs" }));
  });

  it("agrees with git where changes keep apart", async () => {
    const folder = await mkdtemp(join(tmpdir(), "catalog-test-"));
    const byGit = async (sides: Record<string, string>) => {
      const names = ["ours", "base", "theirs"].map((name) => join(folder, name));
      await Promise.all(names.map((path) => writeFile(path, sides[path.slice(folder.length + 1)] ?? "")));
      try {
        return (await git(["merge-file", "-p", ...names])).toString();
      } catch (error) {
        if (error instanceof GitError) return "conflict";
        throw error;
      }
    };
    // each line is its own, so that there is one way to read the difference
    const change = fc.constantFrom("keep", "keep", "ours", "theirs", "ours removes", "theirs removes", "both");
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
          const side = (name: string) =>
            changes
              .flatMap((changeName, index) => {
                const ownLines =
                  changeName === `${name} removes`
                    ? []
                    : [changeName === name || changeName === "both" ? `${name} ${index}` : index];
                return [`before ${index}`, ...ownLines, `after ${index}`, `between ${index}`];
              })
              .join("\n");
          const sides = { base: side("base"), ours: side("ours"), theirs: side("theirs") };
          const mergeResult = merge(sides.base, sides.ours, sides.theirs);
          const conflicts = changes.filter((changeName) => changeName === "both").length;
          if (conflicts > 0) expect(mergeResult).toBe(conflicts);
          else expect(mergeResult).toBe(await byGit(sides));
        }),
        { numRuns: 40 },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a text with conflicts", () => {
  const markedText = (base: string, ours: string, theirs: string) => {
    const [baseBytes, ourBytes, theirBytes] = [base, ours, theirs].map((text) => Buffer.from(text)) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const mergeResult = mergeText(
      { base: baseBytes, ours: ourBytes, theirs: theirBytes },
      { comparisons: 1e8, lines: 1e6 },
    );
    return mergeResult !== "unmergeable" && "marked" in mergeResult
      ? Buffer.from(mergeResult.marked).toString()
      : undefined;
  };

  it("has both versions between marks, and the changes that do not conflict", () => {
    expect(markedText("1\n2\n3\n4\n5\n", "A\n2\n3\n4\n5\n", "B\n2\n3\n4\nfive\n")).toBe(
      "<<<<<<< target\nA\n=======\nB\n>>>>>>> template\n2\n3\n4\nfive\n",
    );
  });

  it("keeps its line ends, and ends a last line before a mark", () => {
    expect(markedText("1\r\n2\r\n", "1\r\nA", "1\r\nB\r\n")).toBe(
      "1\r\n<<<<<<< target\r\nA\r\n=======\r\nB\r\n>>>>>>> template\r\n",
    );
  });
});
