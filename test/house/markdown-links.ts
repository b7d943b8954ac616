import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root, trackedFiles } from "./tracked-files.js";

const codeBlocks = /^```[^]*?^```$/gm;
const inlineCode = /`[^`\n]*`/g;

/** The anchors that GitHub gives the headings in a Markdown text. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replaceAll(codeBlocks, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links in tracked Markdown files that lead to no file in the folder, or to no heading. Each is `file: link`. */
export function brokenLinks(folder = root): string[] {
  const textOf = (file: string) => readFileSync(join(folder, file), "utf8");
  const isBroken = (file: string, link: string) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : normalize(join(dirname(file), path));
    if (!existsSync(join(folder, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(textOf(target)).has(anchor);
  };
  return trackedFiles(folder)
    .filter((file) => file.endsWith(".md") && !file.startsWith("test/fixtures/"))
    .flatMap((file) => {
      const text = textOf(file).replaceAll(codeBlocks, "").replaceAll(inlineCode, "code");
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      return links.filter((link) => !/^[a-z]+:/.test(link) && isBroken(file, link)).map((link) => `${file}: ${link}`);
    });
}
