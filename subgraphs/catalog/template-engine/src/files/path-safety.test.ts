import { collidingPaths, unsafePath } from "./path-safety.js";

describe("unsafePath", () => {
  it.each([
    "src/App/App.csproj",
    ".gitignore",
    ".github/workflows/ci.yml",
    "docs/über.md",
    "git/a",
    "console.txt",
    "com/a.cs",
    "a".repeat(240),
    Array.from({ length: 32 }, () => "d").join("/"),
    ".config/dotnet-tools.json",
    "a b/c d.txt",
  ])("accepts %s", (path) => {
    expect(unsafePath(path)).toBeUndefined();
  });

  it.each([
    "",
    "..",
    "../a",
    "a/../b",
    "a/./b",
    "a//b",
    "/etc/passwd",
    "a/",
    "C:/x",
    "c:x",
    "a\\b",
    "a\u0000b",
    "a\nb",
    "a\u0085b",
    ".git",
    "x/.GIT/config",
    ".git./hooks/a",
    ".git /hooks/a",
    ".git. . /a",
    "GIT~1/config",
    ".g\u200cit/config",
    "CON",
    "a/nul.txt",
    "com1.cs",
    "LPT9",
    "aux .txt",
    "trailing.",
    "trailing ",
    "a:b",
    "a".repeat(241),
    Array.from({ length: 33 }, () => "d").join("/"),
    "\ud800",
  ])("refuses %j", (path) => {
    expect(unsafePath(path)).toEqual(expect.any(String));
  });
});

describe("collidingPaths", () => {
  it("finds names that differ by case only", () => {
    expect(collidingPaths(["a/B.cs", "a/b.cs"])).toEqual([["a/B.cs", "a/b.cs"]]);
  });

  it("finds folders that differ by case only", () => {
    expect(collidingPaths(["Src/a.cs", "src/b.cs"])).toEqual([["Src/a.cs", "src/b.cs"]]);
  });

  it("finds composed and decomposed twins", () => {
    expect(collidingPaths(["\u00e9.txt", "e\u0301.txt"])).toHaveLength(1);
  });

  it("finds a file that is also a folder", () => {
    expect(collidingPaths(["a", "a/b"])).toEqual([["a", "a/b"]]);
    expect(collidingPaths(["a/b", "a"])).toEqual([["a/b", "a"]]);
  });

  it("finds sharp s and ss", () => {
    expect(collidingPaths(["straße", "STRASSE"])).toHaveLength(1);
  });

  it("says nothing about distinct paths", () => {
    expect(collidingPaths(["a/b", "a/c", "b"])).toEqual([]);
  });
});
