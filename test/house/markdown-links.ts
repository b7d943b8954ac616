import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root, trackedFiles } from "./tracked-files.js";

const fenced = /^```[^]*?^```$/gm;
const inlineCode = /`[^`\n]*`/g;

/** The anchors that GitHub gives the headings of a Markdown text. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.replaceAll(fenced, "").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Links of tracked Markdown files that lead to no file of the folder, or to no heading. Each is `file: link`. */
export function brokenLinks(folder = root): string[] {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const isBroken = (file: string, link: string) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : normalize(join(dirname(file), path));
    if (!existsSync(join(folder, target))) return true;
    return anchor !== undefined && target.endsWith(".md") && !anchorsOf(read(target)).has(anchor);
  };
  return trackedFiles(folder)
    .filter((file) => file.endsWith(".md") && !file.startsWith("test/fixtures/"))
    .flatMap((file) => {
      const text = read(file).replaceAll(fenced, "").replaceAll(inlineCode, "code");
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
      return links.filter((link) => !/^[a-z]+:/.test(link) && isBroken(file, link)).map((link) => `${file}: ${link}`);
    });
}
