import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { DomainError } from "@factory/runtime/errors/domain-error";
import fc from "fast-check";
import { PackageArchive } from "./package-archive.js";
import { nupkgOf, type ZipEntry, zipOf } from "./zip.fixture.js";

async function read(bytes: Buffer): Promise<Record<string, string>> {
  const archive = await PackageArchive.open(bytes);
  const files: Record<string, string> = {};
  for (const file of archive.files) files[file.path] = `${file.mode} ${(await archive.read(file)).toString("utf8")}`;
  return files;
}

const expectRefusal = (entries: readonly ZipEntry[], code: string) =>
  expect(read(zipOf(entries))).rejects.toMatchObject({ code });

describe("reading a package archive", () => {
  it("reads deflated and stored files, large and empty ones, and leaves folders out", async () => {
    const large = "0123456789abcdef".repeat(40_000);
    const files = await read(
      zipOf([
        { name: "a.txt", content: "text\r\n" },
        { name: "folder/", stored: true, mode: 0o040755 },
        { name: "folder/stored.bin", content: "as it is", stored: true },
        { name: "folder/empty", content: "" },
        { name: "large", content: large },
      ]),
    );
    expect(files).toEqual({
      "a.txt": "100644 text\r\n",
      "folder/stored.bin": "100644 as it is",
      "folder/empty": "100644 ",
      large: `100644 ${large}`,
    });
  });

  it("takes the execute bit of the owner, and none from archives made outside Unix", async () => {
    const files = await read(
      zipOf([
        { name: "run", mode: 0o100755 },
        { name: "owner", mode: 0o100744 },
        { name: "others", mode: 0o100655 },
        { name: "untyped", mode: 0o755 },
        { name: "elsewhere", mode: 0 },
      ]),
    );
    expect(Object.entries(files).map(([path, text]) => `${path} ${text.trim()}`)).toEqual([
      "run 100755",
      "owner 100755",
      "others 100644",
      "untyped 100755",
      "elsewhere 100644",
    ]);
  });

  it("reads names as UTF-8, code page 437 and URI segments", async () => {
    const files = await read(
      zipOf([
        { name: "\u00fcber.txt" },
        { name: "unmarked-\u00e9", flags: 0 },
        { name: Buffer.from([0x81, 0x2e, 0x63]), flags: 0 },
        { name: "My%20App/%C3%A4+100%.cs" },
        { name: "%zz%E4" },
      ]),
    );
    const names = ["\u00fcber.txt", "unmarked-\u00e9", "\u00fc.c", "My App/\u00e4+100%.cs", "%zz%E4"];
    expect(Object.keys(files)).toEqual(names);
  });
});

describe("a package archive is refused as unsafe:", () => {
  it.each<[string, string]>([
    ["a name that climbs", "../x"],
    ["a name that climbs later", "a/../../x"],
    ["a name that climbs within", "a/../x"],
    ["an escaped name that climbs", "%2e%2e/x"],
    ["an escaped slash that climbs", "a/..%2f..%2fx"],
    ["a folder that climbs", "../"],
    ["an absolute name", "/etc/passwd"],
    ["an absolute network name", "//host/share"],
    ["a drive", "C:/x"],
    ["a drive without a slash", "c:x"],
    ["a backslash", "a\\b"],
    ["a backslash that climbs", "..\\x"],
    ["an escaped backslash", "a%5cb"],
    ["a NUL", "a\0b"],
    ["an escaped NUL", "a%00b"],
    ["a line break", "a\nb"],
    ["a C1 control", "a\u0085b"],
    ["no name", ""],
    ["the root", "/"],
    ["an empty part", "a//b"],
    ["a dot part", "./a"],
    [".git", ".git/config"],
    [".GIT in a folder", "a/.GIT/hooks/pre-commit"],
    ["git~1", "git~1/config"],
    [".git with a trailing dot", ".git./config"],
    [".git with a character that HFS+ ignores", ".g\u200cit/config"],
    ["an escaped .git", "%2Egit/config"],
    ["a reserved name", "a/CON.txt"],
    ["an alternate stream", "a.txt:hidden"],
    ["a part that ends in a space", "a /b"],
    ["a part that ends in a dot", "a./b"],
    ["a path of 241 characters", "a".repeat(241)],
    ["a path of 33 folders", "a/".repeat(33).concat("b")],
  ])("%s", async (_, name) => {
    await expectRefusal(
      [
        { name: "ok.txt", content: "1" },
        { name, content: "x" },
      ],
      "SOURCE_UNSAFE",
    );
  });

  it.each<[string, ZipEntry[]]>([
    ["a symbolic link", [{ name: "link", content: "/etc/passwd", mode: 0o120777 }]],
    ["a symbolic link that looks like a folder", [{ name: "link/", content: "/etc", mode: 0o120777 }]],
    ["a device", [{ name: "null", mode: 0o020666 }]],
    ["a pipe", [{ name: "pipe", mode: 0o010644 }]],
    ["a socket", [{ name: "socket", mode: 0o140644 }]],
    ["a folder that looks like a file", [{ name: "folder", mode: 0o040755 }]],
    ["an encrypted entry", [{ name: "a", content: "x", flags: 0x801 }]],
    ["a strongly encrypted entry", [{ name: "a", content: "x", flags: 0x841 }]],
    ["a name that is not UTF-8 and says it is", [{ name: Buffer.from([0x61, 0xff]) }]],
    [
      "a name twice",
      [
        { name: "a", content: "1" },
        { name: "a", content: "2" },
      ],
    ],
    ["a name twice once unescaped", [{ name: "a b" }, { name: "a%20b" }]],
    ["twins in case", [{ name: "A.txt" }, { name: "a.txt" }]],
    ["twins in the case of a folder", [{ name: "Src/a" }, { name: "src/b" }]],
    ["twins in Unicode form", [{ name: "\u00e9" }, { name: "e\u0301" }]],
    ["a file that is also a folder", [{ name: "a" }, { name: "a/b" }]],
    ["a size that is too small", [{ name: "a", content: "x".repeat(10_000), size: 10 }]],
    ["a large size that is too small", [{ name: "a", content: "ab".repeat(400_000), size: 700_000 }]],
    ["a size that is too large", [{ name: "a", content: "x", size: 5 }]],
    ["an empty file that is not", [{ name: "a", content: "x", size: 0 }]],
    ["a stored file of another size", [{ name: "a", content: "xyz", stored: true, size: 2 }]],
  ])("%s", async (_, entries) => {
    await expectRefusal(entries, "SOURCE_UNSAFE");
  });

  it.each([
    ["small", 100, 60_000],
    ["large", 300_000, 2_000_000],
  ])("a %s size that is too small, without inflating the rest", async (_, size, actual) => {
    const whole = deflateRawSync(randomBytes(actual));
    // reading to the end finds it incomplete
    const packedBytes = whole.subarray(0, -100);
    await expectRefusal([{ name: "a", packed: packedBytes, size }], "SOURCE_UNSAFE");
  });

  it("a symbolic link, by that name", async () => {
    const attempt = PackageArchive.open(zipOf([{ name: "link", content: "/etc/passwd", mode: 0o120777 }]));
    await expect(attempt).rejects.toThrow("is a symbolic link");
  });

  it("names the entry", async () => {
    const attempt = PackageArchive.open(zipOf([{ name: "a/../../x" }]));
    await expect(attempt).rejects.toMatchObject({
      message: expect.stringMatching(/"a\/..\/..\/x"/),
      facts: { paths: ["a/../../x"] },
    });
  });
});

describe("a package archive that cannot be read", () => {
  const good = nupkgOf({ "a.txt": "text ".repeat(100), "b/c.txt": "more" });

  it.each<[string, Buffer]>([
    ["is empty", Buffer.alloc(0)],
    ["is a web page", Buffer.from("<!doctype html><title>Sign in</title>".repeat(10))],
    ["is cut in half", good.subarray(0, good.length / 2)],
    ["lacks its last byte", good.subarray(0, -1)],
    ["lacks its first bytes", good.subarray(40)],
    ["has data behind its end", Buffer.concat([good, Buffer.from("x")])],
    ["has data that are no deflate stream", zipOf([{ name: "a", content: "x", packed: Buffer.from("garbage") }])],
    ["has a file that breaks off", zipOf([{ name: "a", size: 100, packed: Buffer.from([0x4b]) }])],
    ["has a wrong checksum", zipOf([{ name: "a", content: "x", checksum: 1 }])],
    ["points outside itself", zipOf([{ name: "a", content: "x", packedSize: 1_000_000 }])],
    ["is compressed in another way", zipOf([{ name: "a", content: "x", method: 14 }])],
  ])("is unavailable when it %s", async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: "SOURCE_UNAVAILABLE" });
  });

  it("gives a typed error or its files whatever bytes are changed", async () => {
    const change = fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(good);
        for (const { at, to } of changes) bytes[at] = to;
        await read(bytes).catch((error: unknown) => expect(error).toBeInstanceOf(DomainError));
      }),
      { numRuns: 500 },
    );
  });

  it("gives a typed error whatever bytes it is", async () => {
    const end = Buffer.from("504b0506", "hex");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 40 }), async (head, tail) => {
        const bytes = Buffer.concat([head, end, tail]);
        await read(bytes).catch((error: unknown) => expect(error).toBeInstanceOf(DomainError));
      }),
      { numRuns: 300 },
    );
  });

  it("is too large when it lists more entries than any template has", async () => {
    const entries = Array.from({ length: 30_001 }, (_, index) => ({ name: `f${index}/`, stored: true }));
    await expect(PackageArchive.open(zipOf(entries))).rejects.toMatchObject({ code: "SOURCE_TOO_LARGE" });
  });
});
