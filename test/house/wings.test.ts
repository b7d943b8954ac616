import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path/posix";
import { roomCycles, roomOf, sliceOf, upwardImports } from "./folder-rules.js";
import { type Import, importGraph } from "./import-graph.js";
import { isForTests, root, trackedFiles } from "./tracked-files.js";
import { namesBelow, usersOf, wings } from "./wings.js";

const subgraphs = ["catalog", "integration", "spine"];
const maxRooms = 18;

let files: string[];
let imports: Import[];
beforeAll(async () => {
  files = trackedFiles();
  imports = await importGraph();
});

const textOf = (file: string) => readFile(root + file, "utf8");
/** The names of a folder's subfolders and sources. */
function contentsOf(folder: string) {
  const inside = files.filter((file) => file.startsWith(`${folder}/`) && !isForTests(file));
  const paths = inside.map((file) => file.slice(folder.length + 1).split("/"));
  return {
    folders: [...new Set(paths.flatMap(([first = "", ...rest]) => (rest.length > 0 ? [first] : [])))],
    sources: paths.flatMap(([first = "", ...rest]) => (rest.length === 0 && first.endsWith(".ts") ? [first] : [])),
  };
}
/** The order in a list that runs from the top to the ground, as `upwardImports` takes it. */
const fromTheGround = (names: readonly string[]) => names.toReversed();

describe.each(subgraphs)("the rooms of %s", (subgraph) => {
  const src = `subgraphs/${subgraph}/src`;
  const listedRooms = async () =>
    namesBelow("Rooms, from the top to the ground", await textOf(`subgraphs/${subgraph}/README.md`));

  it("are at most 18, with the files beside them", () => {
    const { folders, sources } = contentsOf(src);
    expect(folders.length + sources.length).toBeLessThanOrEqual(maxRooms);
  });

  it("are all in its README, which lists them from the top to the ground", async () => {
    const { folders } = contentsOf(src);
    expect((await listedRooms()).toSorted()).toEqual(folders.filter((folder) => folder !== "migrations").toSorted());
    const order = new Map([[`subgraphs/${subgraph}`, fromTheGround(await listedRooms())]]);
    const betweenRooms = imports
      .filter(({ from, to }) => !isForTests(from) && roomOf(from) !== undefined && roomOf(to) !== undefined)
      .map(({ from, to, names }) => ({ from: `${roomOf(from)}/one.ts`, to: `${roomOf(to)}/two.ts`, names }));
    expect(upwardImports(betweenRooms, order)).toEqual([]);
  });
});

describe("wings", () => {
  it("form no cycle", () => {
    expect(wings.size).toBeGreaterThan(20);
    expect(roomCycles(imports)).toEqual([]);
  });

  it("name their slices from the top to the ground, and the rooms that use them", async () => {
    for (const wing of wings) {
      const text = await textOf(`${wing}/README.md`);
      const slices = namesBelow("Slices, from the top to the ground", text);
      const { folders, sources } = contentsOf(wing);
      expect([wing, slices.toSorted(), sources]).toEqual([wing, folders.toSorted(), []]);
      const order = new Map([
        [dirname(dirname(wing)), fromTheGround(slices.map((slice) => `${basename(wing)}/${slice}`))],
      ]);
      expect(upwardImports(imports, order)).toEqual([]);
      const users = [...(/^Used by: (.*)\.$/m.exec(text)?.[1] ?? "").matchAll(/`([a-z-]+)`/g)].map(
        ([, name = ""]) => name,
      );
      expect([wing, users.toSorted()]).toEqual([wing, usersOf(wing, imports).toSorted()]);
    }
  });

  it("hold slices, and other rooms are slices", () => {
    expect(sliceOf("subgraphs/spine/src/people/users/inner/one.ts")).toBe("subgraphs/spine/src/people/users");
    expect(sliceOf("subgraphs/spine/src/audit-log/inner/one.ts")).toBe("subgraphs/spine/src/audit-log");
    expect(sliceOf("gateway/src/limits/one.ts")).toBe("gateway/src/limits");
    expect(sliceOf("subgraphs/spine/src/modules.ts")).toBeUndefined();
  });

  it("that import each other are found", () => {
    const [low, high] = ["subgraphs/spine/src/tenants/tenants/one.ts", "subgraphs/spine/src/sign-in/passkeys/two.ts"];
    const withViolation = [...imports, { from: low, to: high, names: ["x"] }];
    expect(roomCycles(withViolation)).toHaveLength(1);
  });
});
