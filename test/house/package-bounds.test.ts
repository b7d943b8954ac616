import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./tracked-files.js";

/** Each package that has bounds, with an import that the linter must refuse there and one that it allows. */
const bounds = [
  ["subgraphs/runtime/src/json/a.ts", "@factory/spine/modules", "@factory/schema/scopes"],
  ["subgraphs/catalog/template-engine/src/a.ts", "@factory/runtime/db/notice", "./b.js"],
  ["subgraphs/catalog/src/git/a.ts", "@factory/spine/modules", "@factory/nuget/version"],
  ["subgraphs/integration/src/runs/a.ts", "@factory/catalog/modules", "@factory/runtime/db/notice"],
  ["subgraphs/spine/src/tenants/a.ts", "@factory/platform/main", "@factory/runtime/db/notice"],
  ["rest-facade/src/http/a.ts", "@factory/integration/modules", "@factory/runtime/db/notice"],
  ["gateway/src/limits/a.ts", "@factory/catalog/modules", "@factory/rest-facade/rate-limits"],
] as const;

describe("the linter", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "factory-bounds-"));
    await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const restrictedIn = async (file: string, specifier: string): Promise<boolean> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `import { a } from "${specifier}";\nexport const b = a;\n`);
    return new Promise((resolve) =>
      execFile(process.execPath, [join(root, "node_modules/oxlint/bin/oxlint"), file], { cwd: folder }, (_, output) =>
        resolve(output.includes("no-restricted-imports")),
      ),
    );
  };

  it.each(bounds)("keeps the bounds of %s", async (file, forbidden, allowedImport) => {
    expect([await restrictedIn(file, forbidden), await restrictedIn(file, allowedImport)]).toEqual([true, false]);
  });
});
