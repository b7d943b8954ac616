import { parseGlob } from "./glob.js";

describe("glob", () => {
  it.each<[string, string]>([
    ["**/*", "a.txt"],
    ["**/*", "a/b/c.txt"],
    ["*.cs", "a/b/c.cs"],
    ["a.txt", "deep/a.txt"],
    ["**/*.cs", "c.cs"],
    ["**/[Bb]in/**", "bin/x"],
    ["**/[Bb]in/**", "a/Bin/x/y"],
    ["src/*.cs", "src/a.cs"],
    ["src/**", "src/a/b.cs"],
    ["**/node_modules/**", "web/node_modules/a/b.js"],
    ["**/.template.config/**", ".template.config/template.json"],
    ["**/*.*proj", "a/b.csproj"],
    ["**/web.*.config", "web.Release.config"],
    ["a\\[b", "a[b"],
    ["a\\ b", "a b"],
    ["!*.cs", "a.vb"],
    ["a/**/b", "a/b"],
    ["a/**/b", "a/x/y/b"],
    ["?", "?"],
    ["{a,b}", "{a,b}"],
    ["**", "x/y"],
    ["*", "x"],
    ["README*", "README.md"],
    ["a**/b", "ab"],
  ])("%s matches %s", (pattern, path) => {
    expect(parseGlob(pattern).matches(path)).toBe(true);
  });

  it.each<[string, string]>([
    ["*.cs", "a.csx"],
    ["src/*.cs", "src/a/b.cs"],
    ["src/*.cs", "other/src/a.cs"],
    ["*.CS", "a.cs"],
    ["**/[Bb]in/**", "cabin/x"],
    ["**/[Bb]in/**", "bin"],
    ["a?c", "abc"],
    ["{a,b}", "a"],
    ["!*.cs", "a.cs"],
    ["a/**/b", "a/xb"],
    ["[a-c]", "b"],
    ["README*", "README"],
    ["**/*.md", "a.mdx"],
  ])("%s does not match %s", (pattern, path) => {
    expect(parseGlob(pattern).matches(path)).toBe(false);
  });

  it("stays linear on hostile patterns", () => {
    const start = performance.now();
    expect(parseGlob(`${"**a".repeat(60)}b`).matches("a".repeat(240))).toBe(false);
    expect(performance.now() - start).toBeLessThan(60_000);
  });
});
