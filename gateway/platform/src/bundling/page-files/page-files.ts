import { createHash } from "node:crypto";
import { access, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { type PageEntries, pageFileSuffix, readPageList, writePageList } from "@factory/rest-facade/page-list";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { viewerScript } from "./viewer-script.js";
import { withoutFonts } from "./without-fonts.js";

const pages = "rest-facade/pages";
const viewer = "viewer";
/** The best quality (11) takes half as long again, and makes the viewer's script 2 % smaller. */
const quality = 10;
const compress = promisify(brotliCompress);

const pageOptions = {
  entryPoints: {
    graphiql: `${pages}/dist/graphiql/main.js`,
    "graphiql-style": `${pages}/src/graphiql/graphiql.css`,
    "reference-settings": `${pages}/dist/reference/settings.js`,
    reference: `${pages}/dist/reference/main.js`,
    "reference-style": `${pages}/src/reference/reference.css`,
  },
  write: false,
  bundle: true,
  splitting: true,
  format: "esm",
  // browsers of the last two years
  target: "es2022",
  minify: true,
  metafile: true,
  legalComments: "none",
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  assetNames: "[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [withoutFonts],
  logLevel: "error",
} as const satisfies BuildOptions;

/**
 * Bundles the pages' scripts and styles into files that are named by their content and compressed. A file that an
 * earlier build has made stays as it is.
 */
export async function bundlePages(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [{ outputFiles, metafile }, viewerText] = await Promise.all([
    build({ ...pageOptions, absWorkingDir: root, outdir: folder }),
    viewerScript(),
  ]);
  const viewerName = `${viewer}-${createHash("sha256").update(viewerText).digest("base64url").slice(0, 10)}.js`;
  const files = new Map([
    ...outputFiles.map(({ path, contents }) => [basename(path), contents] as const),
    [viewerName, Buffer.from(viewerText)] as const,
  ]);
  await Promise.all([...files].map(([name, content]) => writeCompressed(join(folder, name + pageFileSuffix), content)));
  const formerFiles = (await readPageList(folder))?.files ?? [];
  const list = { files: [...files.keys()], entries: { ...entriesOf(metafile), [viewer]: [viewerName] } };
  await writePageList(folder, list);
  await removeOtherFiles(folder, new Set([...list.files, ...formerFiles]));
}

async function writeCompressed(path: string, content: Uint8Array): Promise<void> {
  if (await isPresent(path)) return;
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: content.length };
  // another name first: a build that is killed leaves no half of a file under its name
  await writeFile(`${path}.new`, await compress(content, { params }));
  await rename(`${path}.new`, path);
}

const isPresent = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Each entry's file, and the files that a browser needs before it runs. */
function entriesOf({ outputs }: Metafile): PageEntries {
  const entries: Record<string, string[]> = {};
  for (const [path, { entryPoint, imports }] of Object.entries(outputs)) {
    const name = /^(.+)-[^-]+$/.exec(basename(path))?.[1];
    if (entryPoint === undefined || name === undefined || !Object.hasOwn(pageOptions.entryPoints, name)) continue;
    const needed = imports.filter(({ kind }) => kind === "import-statement").map((part) => basename(part.path));
    entries[name] = [basename(path), ...needed];
  }
  return entries;
}

/** The last build's files stay, since a platform that still runs on it serves them. */
async function removeOtherFiles(folder: string, kept: ReadonlySet<string>): Promise<void> {
  const names = (await readdir(folder)).filter((file) => file.endsWith(pageFileSuffix));
  for (const file of names) if (!kept.has(file.slice(0, -pageFileSuffix.length))) await rm(join(folder, file));
}
