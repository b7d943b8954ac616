import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brokenLinks } from "./markdown-links.js";

describe("the links of the Markdown files", () => {
  it("lead to files of the repository, and to headings in them", () => {
    expect(brokenLinks()).toEqual([]);
  });

  it.each([
    ["[a](other.md)", []],
    ["[a](other.md#a-new-key)", []],
    ["[a](#here)", []],
    ["[a](https://example.com/x)", []],
    ["`[a](nowhere.md)`", []],
    ["[a](nowhere.md)", ["one.md: nowhere.md"]],
    ["[a](other.md#an-old-key)", ["one.md: other.md#an-old-key"]],
    ["[a](#there)", ["one.md: #there"]],
  ])("are read: %s", async (line, expectedLinks) => {
    const folder = await mkdtemp(join(tmpdir(), "markdown-links-"));
    try {
      await writeFile(join(folder, "one.md"), `# Here\n\n${line}\n`);
      await writeFile(join(folder, "other.md"), "# Other\n\n```sh\n# an old key\n```\n\n## A new `key`\n");
      execFileSync("git", ["init", "-q", folder]);
      execFileSync("git", ["-C", folder, "add", "."]);
      expect(brokenLinks(folder)).toEqual(expectedLinks);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
