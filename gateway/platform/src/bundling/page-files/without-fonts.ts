import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const fontFaces = /@font-face\s*\{[^}]*\}/g;

/** Leaves out the fonts that packages' style sheets hold: 240 KB of GraphiQL's style. The page has the system's fonts. */
export const withoutFonts: Plugin = {
  name: "without fonts",
  setup(build) {
    build.onLoad({ filter: /node_modules\/.*\.css$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      return { contents: text.replace(fontFaces, ""), loader: "css" };
    });
  },
};
