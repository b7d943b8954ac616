import { SourceMap } from "node:module";
import { encode } from "@jridgewell/sourcemap-codec";
import { ownSourceMap } from "./own-source-map.js";

it("leaves positions in packages without a source", () => {
  const map = {
    version: 3,
    file: "bundle.js",
    sources: ["../src/own.ts", "../node_modules/pg/lib/client.js"],
    names: [],
    mappings: encode([
      [
        [0, 0, 6, 2],
        [10, 1, 0, 0],
        [20, 1, 0, 5],
        [30, 0, 7, 0],
      ],
    ]),
    sourcesContent: [],
    sourceRoot: "",
  };
  const ownMap = new SourceMap(ownSourceMap(map));
  const placeAt = (column: number) => {
    const entry = ownMap.findEntry(0, column);
    return "originalSource" in entry && entry.originalSource
      ? `${entry.originalSource}:${entry.originalLine}`
      : undefined;
  };
  expect([0, 5, 10, 25, 35].map(placeAt)).toEqual([
    "../src/own.ts:6",
    "../src/own.ts:6",
    undefined,
    undefined,
    "../src/own.ts:7",
  ]);
});
