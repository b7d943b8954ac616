import { execFile } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

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

async function trackedFiles(): Promise<string[]> {
  const { stdout } = await run("git", ["-C", root, "ls-files"], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split("\n").filter(Boolean);
}

describe("the names of files and folders", () => {
  it("under src/ say what is inside", async () => {
    const sources = (await trackedFiles()).filter((file) => file.includes("/src/"));
    expect(sources.length).toBeGreaterThan(100);
    const wrong = sources.filter((file) =>
      (file.split("/src/")[1] ?? "")
        .split("/")
        .some((part) => part.split(/[.-]/).some((word) => empty.has(word.toLowerCase()))),
    );
    expect(wrong).toEqual([]);
  });

  it("are kebab-case, and no file is a barrel", async () => {
    const sources = (await trackedFiles()).filter(
      (file) => /\/src\/.*\.ts$/.test(file) && !file.includes("/migrations/"),
    );
    expect(sources.filter((file) => !/^[a-z0-9]+([.-][a-z0-9]+)*\.ts$/.test(basename(file)))).toEqual([]);
    expect(sources.filter((file) => basename(file) === "index.ts")).toEqual([]);
  });

  it("at the top are those that were agreed on", async () => {
    const folders = new Set(
      (await trackedFiles()).filter((file) => file.includes("/")).map((file) => file.split("/")[0]),
    );
    const visible = [...folders].filter((name) => name !== undefined && !name.startsWith("."));
    expect(new Set(visible)).toEqual(new Set(["gateway", "rest-facade", "schema", "subgraphs", "test"]));
  });
});
