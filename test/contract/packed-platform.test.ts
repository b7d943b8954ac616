import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";

interface PackModule {
  stage(folder: string): {
    dependencies: Record<string, string>;
    bundleDependencies: string[];
    bin: Record<string, string>;
  };
  pack(destination: string, options: readonly string[]): Promise<{ filename: string; files: { path: string }[] }>;
}

const scope = "node_modules/@factory";
let pack: PackModule;
let folder: string;
let manifest: ReturnType<PackModule["stage"]>;
let stagedFiles: ReadonlySet<string>;

beforeAll(async () => {
  pack = (await import(new URL("../../gateway/platform/pack.mjs", import.meta.url).href)) as PackModule;
  folder = await mkdtemp(join(tmpdir(), "packed-platform-"));
  manifest = pack.stage(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  stagedFiles = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  );
});

afterAll(() => rm(folder, { recursive: true }));

const textOf = (file: string) => readFile(join(folder, file), "utf8");
const isPresent = (path: string) =>
  stagedFiles.has(path) || [...stagedFiles].some((file) => file.startsWith(`${path}/`));

/** The file or folder of a workspace module, such as `@factory/runtime/json/own-json`. */
async function moduleFile(specifier: string): Promise<string | undefined> {
  const [, name = "", ...rest] = specifier.split("/");
  const { exports } = JSON.parse(await textOf(`${scope}/${name}/package.json`)) as {
    exports: Record<string, string | { default: string }>;
  };
  const path = `./${rest.join("/")}`;
  for (const [pattern, target] of Object.entries(exports)) {
    const file = typeof target === "string" ? target : target.default;
    const [before = "", after] = pattern.split("*");
    if (pattern === path) return normalize(`${scope}/${name}/${file}`);
    if (after !== undefined && path.startsWith(before) && path.endsWith(after))
      return normalize(`${scope}/${name}/${file.replace("*", path.slice(before.length, path.length - after.length))}`);
  }
  return undefined;
}

describe("the package of the platform", () => {
  it("has no tests, no sources and no settings", () => {
    const wrong = [...stagedFiles].filter(
      (file) =>
        !file.startsWith(`${scope}/test/`) && /\.(?:test|fixture)\.|\.ts$|\.map$|(?:^|\/)\.(?:env|data)/.test(file),
    );
    expect(wrong).toEqual([]);
    expect(stagedFiles).toContain(`${scope}/gateway/platform/dist/bundle/main.js`);
  });

  it("has every file that its modules import, and names every other package", async () => {
    const missing = new Set<string>();
    const packages = new Set(Object.keys(manifest.dependencies));
    const modules = [...stagedFiles].filter((file) => file.endsWith(".js") && !file.includes("/bundle/"));
    expect(modules.length).toBeGreaterThan(1000);
    for (const file of modules)
      for (const [, specifier = ""] of (await textOf(file)).matchAll(
        /(?:^(?:import|export)\s(?:[^"';=(]*\sfrom\s)?|\bimport\()["']([@.\w][^"'\n]*)["']/gm,
      )) {
        const [first = "", second = ""] = specifier.split("/");
        const name = specifier.startsWith("@") ? `${first}/${second}` : first;
        const target = specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : undefined;
        if (target !== undefined ? isPresent(target) : isBuiltin(specifier)) continue;
        if (first === "@factory" ? isPresent((await moduleFile(specifier)) ?? "") : packages.has(name)) continue;
        missing.add(`${specifier} in ${file}`);
      }
    // only a build or a developer's program needs them
    const optionalModules =
      /(?:esbuild|@scalar\/fastify-api-reference|@apollo\/(?:composition|subgraph)|@jridgewell|@swc\/core|typescript)/;
    expect([...missing].filter((line) => !optionalModules.test(line))).toEqual([]);
  });

  it("has every file of the workspaces that the bundle names by its place", async () => {
    const places = new Set<string>();
    for (const file of stagedFiles)
      if (file.startsWith(`${scope}/gateway/platform/dist/bundle/`) && file.endsWith(".js"))
        for (const [, place = ""] of (await textOf(file)).matchAll(/new URL\("(\.\.?\/[^"]+)",\s*bundleAddress\)/g))
          if (!place.includes("node_modules/")) places.add(normalize(join(dirname(file), place)));
    expect(places.size).toBeGreaterThan(5);
    expect([...places].filter((place) => !isPresent(place))).toEqual([]);
    for (const worker of [
      "gateway/dist/ad-hoc-documents/planning-worker.js",
      "gateway/dist/supergraph/supergraph-check-worker.js",
      "catalog/dist/executions/template-worker/template-worker.js",
      "catalog/dist/execution-process.js",
      "rest-facade/src/operations",
      "test/fixtures/web-api-template/.template.config",
      "schema/supergraph.graphql",
      "gateway/OPERATING.md",
    ])
      expect([worker, isPresent(`${scope}/${worker}`)]).toEqual([worker, true]);
  });

  it("has the guides, to which the links of its README lead", async () => {
    const links = [...(await textOf("README.md")).matchAll(/\]\(([\w@./-]+(?:GUIDE|OPERATING)\.md)\)/g)].map(
      ([, to = ""]) => to,
    );
    expect(links).toHaveLength(5);
    expect(links.filter((to) => !isPresent(to))).toEqual([]);
  });

  it("is what npm packs", async () => {
    const { files } = await pack.pack(folder, ["--dry-run"]);
    const packedFiles = new Set(files.map(({ path }) => path));
    const leftovers = [...stagedFiles].filter((file) => !packedFiles.has(file) && !file.endsWith("/.gitignore"));
    expect(leftovers).toEqual([]);
    expect(manifest.bin).toEqual({ "factory-platform": "platform.mjs" });
  });
});
