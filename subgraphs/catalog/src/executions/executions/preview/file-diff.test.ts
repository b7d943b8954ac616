import { fileDiff } from "./file-diff.js";

const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
const diff = (before: string | undefined, after: string | undefined, path = "a.txt") =>
  fileDiff({
    path,
    oldMode: before === undefined ? undefined : "100644",
    mode: "100644",
    oldBytes: bytes(before),
    newBytes: bytes(after),
  });

describe("fileDiff", () => {
  it("shows a new, a changed and a deleted file as git does", () => {
    expect(diff(undefined, "one\n")).toBe(
      "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+one\n",
    );
    expect(diff("one\ntwo", "one\n2")).toBe(
      [
        "diff --git a/a.txt b/a.txt",
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "\\ No newline at end of file",
        "+2",
        "\\ No newline at end of file",
        "",
      ].join("\n"),
    );
    expect(diff("one\n", undefined)).toContain("deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n");
  });

  it("keeps line ends and ends names with spaces as git's reader wants them", () => {
    expect(diff("one\r\n", "two\r\n", "a b.txt")).toBe(
      "diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n@@ -1,1 +1,1 @@\n-one\r\n+two\r\n",
    );
  });

  it("shows nothing of binary, large or undecodable content", () => {
    expect(diff("a\0b", "text")).toBeUndefined();
    expect(diff("text", "x".repeat(300_000))).toBeUndefined();
    const latin1 = {
      path: "a",
      oldMode: undefined,
      mode: "100644",
      oldBytes: undefined,
      newBytes: Buffer.from([0xe4]),
    };
    expect(fileDiff(latin1)).toBeUndefined();
  });
});
