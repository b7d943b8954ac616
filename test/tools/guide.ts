import { readFile } from "node:fs/promises";

const guide = await readFile(new URL("../../gateway/GUIDE.md", import.meta.url), "utf8");

/** The TypeScript examples of the guide, each a module of its own, by the package that they show. */
export const examples = new Map(
  [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = ""]) => [/from "([^"]+)"/.exec(text)?.[1] ?? "", text]),
);
