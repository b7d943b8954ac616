import { dirname } from "node:path/posix";
import type { Import } from "./import-graph.js";
import { isForTests, trackedFiles } from "./tracked-files.js";

const readme = /^subgraphs\/(catalog|integration|spine)\/src\/[^/]+\/README\.md$/;

/** The folders in a subgraph's `src` that hold slices. Each has a README that names them. */
export const wings: ReadonlySet<string> = new Set(
  trackedFiles()
    .filter((file) => readme.test(file))
    .map((file) => dirname(file)),
);

/** The names with which a list's lines below a heading begin, in their order. */
export function namesBelow(heading: string, text: string): string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^- \[?`([a-z/-]+)`/gm)].map(([, name = ""]) => name);
}

/** The subgraph's other rooms whose sources import a room. */
export function usersOf(room: string, imports: readonly Import[]): string[] {
  const from = (file: string) => file.startsWith(`${room}/`);
  const rooms = new RegExp(`^${dirname(room)}/([^/]+)/`);
  const names = imports
    .filter((link) => from(link.to) && !from(link.from) && !isForTests(link.from))
    .flatMap((link) => rooms.exec(link.from)?.[1] ?? []);
  return [...new Set(names)];
}
