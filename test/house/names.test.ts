import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { isForTests, isGenerated, root, trackedFiles } from "./tracked-files.js";

/** Folder names that say nothing about the content. */
const empty = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "shared",
  "lib",
  "core",
  "base",
  "manager",
  "misc",
]);

/** A word that says nothing alone is a part of git's own term. */
const terms = new Set(["merge-base.ts"]);

describe("the names of files and folders", () => {
  it("under src/ say what is inside", () => {
    const sources = trackedFiles().filter((file) => file.includes("/src/"));
    expect(sources.length).toBeGreaterThan(100);
    const wrong = sources.filter((file) =>
      (file.split("/src/")[1] ?? "")
        .split("/")
        .filter((part) => !terms.has(part))
        .some((part) => part.split(/[.-]/).some((word) => empty.has(word.toLowerCase()))),
    );
    expect(wrong).toEqual([]);
  });

  it("are kebab-case, and no file is a barrel", () => {
    const sources = trackedFiles().filter((file) => /\/src\/.*\.ts$/.test(file) && !file.includes("/migrations/"));
    expect(sources.filter((file) => !/^[a-z0-9]+([.-][a-z0-9]+)*\.ts$/.test(basename(file)))).toEqual([]);
    expect(sources.filter((file) => basename(file) === "index.ts")).toEqual([]);
  });

  it("at the top are those that were agreed on", () => {
    const folders = new Set(
      trackedFiles()
        .filter((file) => file.includes("/"))
        .map((file) => file.split("/")[0]),
    );
    const visible = [...folders].filter((name) => name !== undefined && !name.startsWith("."));
    expect(new Set(visible)).toEqual(new Set(["gateway", "rest-facade", "schema", "subgraphs", "test"]));
  });
});

/** A declaration that other files may import. Overloads of one function have one name in one file. */
const exportedName = /^export (?:abstract |async )*(?:class|const|enum|function\*?|interface|type) (\w+)/gm;

describe("an exported name", () => {
  it("means one thing inside a package", async () => {
    const files = trackedFiles();
    const packages = files.filter((file) => basename(file) === "package.json").map((file) => file.slice(0, -12));
    const packageOf = (file: string) =>
      packages.filter((folder) => file.startsWith(folder)).toSorted((a, b) => b.length - a.length)[0] ?? "";
    const places = new Map<string, Set<string>>();
    for (const file of files) {
      if (!file.includes("/src/") || !file.endsWith(".ts") || isForTests(file) || isGenerated(file)) continue;
      for (const [, name = ""] of (await readFile(root + file, "utf8")).matchAll(exportedName)) {
        const key = `${packageOf(file)}: ${name}`;
        places.set(key, (places.get(key) ?? new Set()).add(file));
      }
    }
    expect(places.size).toBeGreaterThan(4000);
    expect([...places].filter(([, declaring]) => declaring.size > 1)).toEqual([]);
  });
});
