import type { TreeEntry } from "../../git/git/tree-listing.js";
import { planOverlay } from "./overlay.js";

const entry = (path: string): [string, TreeEntry] => [
  path,
  { mode: "100644", type: "blob", id: "0".repeat(40), path, size: undefined },
];
const producedTree = (...paths: string[]) =>
  new Map(paths.map((path) => [path, { bytes: Buffer.from("x"), executable: false }]));

describe("laying files over a target", () => {
  it("sees files where folders are needed, and the reverse", () => {
    const existing = new Map(["src/a/b.txt", "file"].map(entry));
    const plannedFiles = planOverlay(existing, producedTree("src/a", "src", "src/a/c.txt", "file/x", "sr"), {
      format: "sha1",
      onConflict: "overwrite",
    });
    const unwritablePaths = plannedFiles.filter(({ conflict }) => conflict === "Blocked").map(({ path }) => path);
    expect(unwritablePaths).toEqual(["src/a", "src", "file/x"]);
  });

  it("takes no longer for a target with very deeply nested folders", () => {
    const existing = new Map(Array.from({ length: 500 }, (_, index) => entry(`${index}/${"d/".repeat(8000)}f`)));
    const before = process.cpuUsage();
    planOverlay(existing, producedTree("src/a.txt"), { format: "sha1", onConflict: "fail" });
    // a minute and more where all these folders are remembered
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000);
  });
});
