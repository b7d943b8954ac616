import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** A package's module with a regular expression that has characters beyond Latin-1. esbuild does not escape these. */
const module = /@graphql-tools\/utils\/cjs\/helpers\.js$/;

/** Escapes such characters. V8 holds a chunk's text at two bytes for each character if it has one such character. */
export const singleByteText: Plugin = {
  name: "single-byte text",
  setup(build) {
    build.onLoad({ filter: module }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      return { contents: code.replace(/[^\0-\xff]/g, escapeCharacter), loader: "js" };
    });
  },
};

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
