import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hardEnglish } from "./plain-english.js";
import { exceptions } from "./plain-english-exceptions.js";

describe("comments, descriptions, decisions and messages", () => {
  it("are plain English", async () => {
    const findings = await hardEnglish(exceptions);
    expect(
      findings.map(({ file, line, pattern, text }) => `${file}:${line} [${pattern}] ${text.slice(0, 120)}`),
    ).toEqual([]);
  });

  it("may break a pattern only with a reason, and no exception is left over", async () => {
    const unexcusedFindings = await hardEnglish([]);
    for (const { file, text, reason } of exceptions) {
      expect(reason.length).toBeGreaterThan(10);
      expect(unexcusedFindings.filter((finding) => finding.file === file && finding.text.includes(text))).not.toEqual(
        [],
      );
    }
  });
});

describe("the patterns", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plain-english-"));
    execFileSync("git", ["init", "-q", folder]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ["a comment", "one.ts", "/** Whose eyes a second pair are. */\nexport const one = 1;\n", 1],
    ["a comment of several lines", "one.ts", "// the first line ends here.\n// He waits.\n", 1],
    ["a message", "one.ts", 'throw new Error("This is no NuGet version of any kind");\n', 1],
    ["a description", "one.ts", 'const field = { description: "What the tenant pays for each month." };\n', 1],
    ["a heading", "one.md", "# Of rooms\n\nText.\n", 1],
    ["a cell of a table", "one.md", "| a | Whoever asks |\n", 1],
    ["a description of the SDL", "one.graphql", '"""\nNobody reads it.\n"""\ntype One { a: Int }\n', 1],
    ["a plain comment", "one.ts", "/** The CSRF token of the form. It is no longer valid after ten minutes. */\n", 0],
    ["code in a comment", "one.ts", "/** Calls `is no good` once. */\n", 0],
  ])("are looked for in %s", async (_, file, source, count) => {
    await writeFile(join(folder, file), source);
    execFileSync("git", ["-C", folder, "add", file]);
    expect(await hardEnglish([], folder)).toHaveLength(count);
    await rm(join(folder, file));
  });

  it("are not looked for in files that git does not track", async () => {
    await writeFile(join(folder, "new.ts"), "// He waits.\n");
    expect(await hardEnglish([], folder)).toEqual([]);
  });
});
