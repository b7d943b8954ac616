import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { pageFileSuffix, writePageList } from "./page-list.js";
import { StaticFiles } from "./static-files.js";

export const scriptText = `const words = "${"word ".repeat(400)}";\n`;

interface PageFilesOnDisk extends AsyncDisposable {
  readonly files: StaticFiles;
  readonly folder: string;
}

/** Page files as a build makes them, in a temporary folder. */
export async function aPageBuild(): Promise<PageFilesOnDisk> {
  const folder = await mkdtemp(join(tmpdir(), "page-files-"));
  const names = ["viewer-AA.js", "reference-BB.js", "settings-CC.js", "style-DD.css", "part-EE.js", "graphiql-FF.js"];
  for (const name of names) await writeFile(join(folder, name + pageFileSuffix), brotliCompressSync(scriptText));
  await writePageList(folder, {
    files: names,
    entries: {
      viewer: ["viewer-AA.js"],
      reference: ["reference-BB.js"],
      "reference-settings": ["settings-CC.js"],
      "reference-style": ["style-DD.css"],
      graphiql: ["graphiql-FF.js", "part-EE.js"],
      "graphiql-style": ["style-DD.css"],
    },
  });
  const files = await StaticFiles.open(folder);
  if (!files) throw new Error("The list of the pages' files was not written");
  return { files, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
