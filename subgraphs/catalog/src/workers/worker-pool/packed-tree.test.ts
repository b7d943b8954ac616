import type { TreeFile } from "@factory/template-engine/file-tree";
import { packTree, unpackTree } from "./packed-tree.js";

describe("packTree", () => {
  it("keeps paths, bytes and modes", () => {
    const texts = { "a.txt": "one", empty: "", "b/run.sh": "zwei ü" };
    const files = new Map<string, TreeFile>(
      Object.entries(texts).map(([path, text]) => [
        path,
        { bytes: Buffer.from(text), executable: path.endsWith(".sh") },
      ]),
    );
    const packedTree = packTree(files);
    const copy = unpackTree(packedTree.files, packedTree.bytes);
    expect([...copy].map(([path, file]) => [path, Buffer.from(file.bytes).toString(), file.executable])).toEqual([
      ["a.txt", "one", false],
      ["empty", "", false],
      ["b/run.sh", "zwei ü", true],
    ]);
  });

  it("copies a view without the memory around it", () => {
    const view = new Uint8Array(Buffer.from("xxabcxx")).subarray(2, 5);
    const { bytes } = packTree(new Map([["a", { bytes: view, executable: false }]]));
    expect(bytes.buffer.byteLength).toBe(3);
    expect(view.byteLength).toBe(3);
  });
});
