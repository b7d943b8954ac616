import { readFile } from "node:fs/promises";
import { dirname } from "node:path/posix";
import {
  crowdedFolders,
  fileCycles,
  folderCycles,
  foreignEntityImports,
  lonelySuffixes,
  sharedPrefixes,
  sliceCycles,
  upwardImports,
} from "./folder-rules.js";
import { type Import, importGraph } from "./import-graph.js";
import { foreignTables, subgraphSources, tableOwners } from "./table-owners.js";
import { root, trackedFiles } from "./tracked-files.js";

const subgraphs = ["catalog", "integration", "spine"];

let files: string[];
let imports: Import[];
let orders: Map<string, readonly string[]>;

beforeAll(async () => {
  files = trackedFiles();
  imports = await importGraph();
  orders = new Map([
    ["subgraphs/runtime", await runtimeFolders()],
    ...(await Promise.all(subgraphs.map(async (name) => [`subgraphs/${name}`, await modulesOf(name)] as const))),
  ]);
});

/** The runtime's folders in its README's order, from the lowest layer to the highest. */
async function runtimeFolders(): Promise<string[]> {
  const readme = await readFile(`${root}subgraphs/runtime/README.md`, "utf8");
  const section = readme.split("## Folders, from the ground up")[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^- `([a-z/-]+)`/gm)].map(([, folder = ""]) => folder);
}

/** A subgraph's slices in the order that its module list has, which is also the order in which they start. */
async function modulesOf(subgraph: string): Promise<string[]> {
  const from = `subgraphs/${subgraph}/src/modules.ts`;
  const source = await readFile(root + from, "utf8");
  const list = /Modules[^=]*= \[([^\]]*)\]/.exec(source)?.[1] ?? "";
  const folders = new Map<string, string>();
  for (const [, names = "", path = ""] of source.matchAll(/import \{([^}]*)\} from "\.\/([^"]+)"/g))
    for (const name of names.split(",")) folders.set(name.trim(), dirname(path));
  return list.split(",").flatMap((name) => folders.get(name.trim()) ?? []);
}

/** The real imports together with one planted import. */
const withImport = (from: string, to: string): Import[] => [...imports, { from, to, names: ["x"] }];

describe("imports", () => {
  it("form no cycle among files", () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(fileCycles(imports)).toEqual([]);
  });

  it("form no cycle among folders or slices", () => {
    expect(folderCycles(imports)).toEqual([]);
    expect(sliceCycles(imports)).toEqual([]);
  });

  it("go down: from a slice to slices below it, never to the files that compose them", () => {
    for (const order of orders.values()) expect(order.length).toBeGreaterThan(3);
    expect(upwardImports(imports, orders)).toEqual([]);
  });

  it("of entities stay inside their slice", () => {
    expect(foreignEntityImports(imports)).toEqual([]);
  });
});

describe("a planted import", () => {
  it("that goes up is found", () => {
    const [low = "", high = ""] = [orders.get("subgraphs/spine")?.[0], orders.get("subgraphs/spine")?.at(-1)];
    const up = { from: `subgraphs/spine/src/${low}/one.ts`, to: `subgraphs/spine/src/${high}/two.ts` };
    expect(upwardImports(withImport(up.from, up.to), orders)).toEqual([`${up.from} imports ${up.to}`]);
    const top = { from: `subgraphs/spine/src/${low}/one.ts`, to: "subgraphs/spine/src/subgraph.ts" };
    expect(upwardImports(withImport(top.from, top.to), orders)).toEqual([`${top.from} imports ${top.to}`]);
    const runtime = orders.get("subgraphs/runtime") ?? [];
    const ground = {
      from: `subgraphs/runtime/src/${runtime[0]}/one.ts`,
      to: `subgraphs/runtime/src/${runtime.at(-1)}/two.ts`,
    };
    expect(upwardImports(withImport(ground.from, ground.to), orders)).toEqual([`${ground.from} imports ${ground.to}`]);
  });

  it("that closes a cycle of folders is found", () => {
    const real = imports.find(
      ({ from, to }) =>
        /^subgraphs\/spine\/src\/\w+\//.test(from) &&
        dirname(from) !== dirname(to) &&
        dirname(to).startsWith("subgraphs/spine/src/"),
    );
    expect(real).toBeDefined();
    if (!real) return;
    const cycles = folderCycles(withImport(real.to, real.from));
    expect(cycles).toHaveLength(1);
    expect(cycles[0]).toEqual(expect.arrayContaining([dirname(real.from), dirname(real.to)]));
  });

  it("of another slice's entity is found", () => {
    const entity = files.find((file) => file.startsWith("subgraphs/catalog/src/") && file.endsWith(".entity.ts")) ?? "";
    const from = "subgraphs/catalog/src/another-slice/one.service.ts";
    expect(foreignEntityImports(withImport(from, entity))).toEqual([`${from} imports ${entity}`]);
  });
});

describe("folders", () => {
  it("hold at most 24 files", () => {
    expect(crowdedFolders(files)).toEqual([]);
    expect(crowdedFolders(Array.from({ length: 25 }, (_, index) => `gateway/src/room/file${index}.ts`))).toEqual([
      "gateway/src/room",
    ]);
  });

  it("stand where five files would share a prefix", () => {
    expect(sharedPrefixes(files)).toEqual([]);
    const five = ["a", "b", "c", "d", "e"].map((name) => `gateway/src/room/check-${name}.ts`);
    expect(sharedPrefixes(five)).toEqual(["gateway/src/room/check-* (5 files)"]);
  });

  it("use no role suffix once", () => {
    expect(lonelySuffixes(files)).toEqual([]);
    expect(lonelySuffixes(["gateway/src/room/one.rare.ts"])).toEqual(["gateway/src/room/one.rare.ts"]);
  });
});

describe("SQL", () => {
  it.each(subgraphs)(
    "of %s touches tables of other slices only in statement files that name them",
    async (subgraph) => {
      const sources = await subgraphSources(files, subgraph, root);
      const owners = tableOwners(sources);
      expect(owners.size).toBeGreaterThan(8);
      expect(foreignTables(sources, owners)).toEqual([]);
    },
  );

  it("over a planted foreign table is found", () => {
    const owners = new Map([["users", "subgraphs/spine/src/people/users"]]);
    const file = "subgraphs/spine/src/ground/mail/recipients.ts";
    const source = "export const text = `select email from users where tenant_id = $1`;";
    expect(foreignTables([{ file, source }], owners)).toEqual([
      `${file} touches users of subgraphs/spine/src/people/users`,
    ]);
    const statement = "subgraphs/spine/src/ground/mail/recipients-statement.ts";
    expect(foreignTables([{ file: statement, source: `// tables: users\n${source}` }], owners)).toEqual([]);
    expect(foreignTables([{ file: statement, source: `// tables: users, roles\n${source}` }], owners)).toHaveLength(1);
  });
});
