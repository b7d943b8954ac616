import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { LRUCache } from "lru-cache";

/** A frame in a compiled module: what stands before its address, the address, the line and the column. */
const compiledFrame = /^(\s+at (?:.*[ (])?)(file:\/\/[^\s()]+\.js):(\d+):(\d+)(?=\)?$)/gm;

/** The platform's folder, with a slash at its end. */
const platformFolder = new URL("../../../../", import.meta.url);

/** Source maps for files that appeared in a stack; false: the file has no map that can be read. */
const sourceMaps = new LRUCache<string, SourceMap | false>({ max: 50 });

/**
 * Rewrites a stack trace's frames from `dist/*.js` to lines in the TypeScript sources. Maps are read only for files
 * that appear in a stack, since Node's own `--enable-source-maps` keeps 17 MB for the whole platform. Never throws. A
 * stack begins with the error's message, which may contain a caller's text, so only files below `folder` are read.
 */
export function sourceStack(stack: string, folder: URL = platformFolder): string {
  return stack.replace(compiledFrame, (frame, before: string, file: string, line: string, column: string) => {
    try {
      const source = sourceOf(new URL(file), folder, Number(line), Number(column));
      return source === undefined ? frame : `${before}${source}`;
    } catch {
      // for example an address with a host, or a map with wrong content
      return frame;
    }
  });
}

function sourceOf(file: URL, folder: URL, line: number, column: number): string | undefined {
  const isOurs = file.href.startsWith(folder.href) && !file.pathname.includes("/node_modules/");
  if (!isOurs || !file.pathname.includes("/dist/")) return undefined;
  const entry = mapOf(file.href)?.findEntry(line - 1, column - 1);
  // A position in a bundled package has an entry without a source.
  if (!entry || !("originalSource" in entry) || !entry.originalSource) return undefined;
  return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
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
