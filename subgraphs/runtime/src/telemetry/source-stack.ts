import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";

const compiledFrame = /(file:\/\/[^\s()]+\/dist\/[^\s()]+\.js):(\d+):(\d+)/g;

/** Source maps of the files that appeared in a stack; false: the file has no map that can be read. */
const sourceMaps = new LRUCache<string, SourceMap | false>({ max: 50 });

/**
 * Rewrites the frames of a stack trace from `dist/*.js` to the lines of the TypeScript sources. Maps are read only for
 * files that appear in a stack, since Node's own `--enable-source-maps` keeps 17 MB of them for the whole platform.
 */
export function sourceStack(stack: string): string {
  return stack.replace(compiledFrame, (frame, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !("originalSource" in entry)) return frame;
    return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  let map = sourceMaps.get(file);
  if (map === undefined) {
    map = readMap(`${fileURLToPath(file)}.map`);
    sourceMaps.set(file, map);
  }
  return map || undefined;
}

function readMap(path: string): SourceMap | false {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return false;
  }
}
