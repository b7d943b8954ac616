import { readFileSync } from "node:fs";

/** A code block in a guide. The languages `bash` and `graphql` are examples that a test runs; `sh` is shown only. */
export interface GuideBlock {
  /** The file and the line number at which the block begins. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

const root = new URL("../../", import.meta.url);

/** The code blocks in a Markdown file, in their order. The path is relative to the repository. */
export function guideBlocks(file: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  let open: { place: string; language: string; lines: string[] } | undefined;
  for (const [index, line] of readFileSync(new URL(file, root), "utf8").split("\n").entries()) {
    if (!line.startsWith("```")) open?.lines.push(line);
    else if (open) {
      blocks.push({ place: open.place, language: open.language, text: `${open.lines.join("\n")}\n` });
      open = undefined;
    } else open = { place: `${file}:${index + 1}`, language: line.slice(3), lines: [] };
  }
  return blocks;
}
