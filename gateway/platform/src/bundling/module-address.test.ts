import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { moduleAddresses } from "./module-address.js";

const banner =
  'import { createRequire as createBundleRequire } from "node:module"; const bundleAddress = import.meta.url, require = createBundleRequire(bundleAddress);';

describe("modules of a bundle", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "factory-bundle-"));
    await writeFile(join(folder, "esm.js"), "#!/usr/bin/env node\nexport const address = import.meta.url;\n");
    await writeFile(join(folder, "cjs.cjs"), "module.exports = [__dirname, __filename];\n");
    const entry = join(folder, "entry.js");
    await writeFile(entry, 'import paths from "./cjs.cjs";\nexport { address } from "./esm.js";\nexport { paths };\n');
    const outdir = join(folder, "dist/bundle");
    const options = { bundle: true, platform: "node", format: "esm", banner: { js: banner } } as const;
    await build({ ...options, entryPoints: [entry], outdir, plugins: [moduleAddresses(outdir)] });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("have the addresses of their own files", async () => {
    const { address, paths } = await import(pathToFileURL(join(folder, "dist/bundle/entry.js")).href);
    expect(address).toBe(pathToFileURL(join(folder, "esm.js")).href);
    expect(paths).toEqual([folder, join(folder, "cjs.cjs")]);
  });

  it("hold no address of the machine that has bundled them", async () => {
    expect(await readFile(join(folder, "dist/bundle/entry.js"), "utf8")).not.toContain(`"${folder}`);
  });
});
