import { isLfsPointer } from "./lfs-pointer.js";

const oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12345\n`;
const extendedPointer = pointer.replace("oid", `ext-0-foo sha256:${oid}\next-1-bar sha256:${oid}\noid`);
const isPointer = (text: string | Uint8Array) => isLfsPointer(typeof text === "string" ? Buffer.from(text) : text);

describe("a pointer of Git LFS", () => {
  it.each([
    ["of its specification", pointer],
    ["of a pre-release", pointer.replace("git-lfs", "hawser")],
    ["of the alpha", pointer.replace("https://git-lfs.github.com/spec/v1", "http://git-media.io/v/2")],
    ["with extensions", extendedPointer],
    ["with a key that nobody knows yet", `${pointer}zone eu\n`],
    ["with the line ends of Windows", pointer.replaceAll("\n", "\r\n")],
    ["without its last line end", pointer.trimEnd()],
    ["with a hash in upper case", pointer.replace(oid, oid.toUpperCase())],
  ])("is seen in one %s", (_, text) => {
    expect(isPointer(text)).toBe(true);
  });

  it.each([
    ["an empty file", ""],
    ["a document that quotes a pointer", `A pointer looks like this:\n\n${pointer}`],
    ["a document that begins with a pointer", `${pointer}\nThis is a pointer.\n`],
    ["an indented quotation", pointer.replace(/^/gm, "    ")],
    ["a quotation in a code block", `\`\`\`\n${pointer}\`\`\`\n`],
    ["a pointer after an empty line", `\n${pointer}`],
    ["an unknown version", pointer.replace("spec/v1", "spec/v9")],
    ["a version without anything else", "version https://git-lfs.github.com/spec/v1\n"],
    ["a pointer without an oid", pointer.replace(/oid.*\n/, "")],
    ["a pointer without a size", pointer.replace(/size.*\n/, "")],
    ["keys that are not sorted", pointer.replace(/(oid.*\n)(size.*\n)/, "$2$1")],
    ["a repeated key", pointer.replace(/size.*\n/, "size 1\nsize 2\n")],
    ["a key with capital letters", pointer.replace("oid", "Oid")],
    ["another hash", pointer.replace("sha256", "sha512")],
    ["a short hash", pointer.replace(oid, oid.slice(1))],
    ["a size that is no number", pointer.replace("12345", "12 kB")],
    ["a placeholder of a template", pointer.replace(oid, "OBJECT_ID")],
    ["another file that begins with a version", "version 1.2.3\noid 1\nsize 2\n"],
    ["a file of 1024 bytes", `${pointer}zone ${"x".repeat(1024 - pointer.length - 6)}\n`],
  ])("is not seen in %s", (_, text) => {
    expect(isPointer(text)).toBe(false);
  });

  it("is not seen in any part of one", () => {
    const bytes = Buffer.from(pointer.trimEnd());
    // the size's last digits may go
    for (let end = 0; end <= bytes.length - "12345".length; end++)
      expect(isPointer(bytes.subarray(0, end))).toBe(false);
  });
});
