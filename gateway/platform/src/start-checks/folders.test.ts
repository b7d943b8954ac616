import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { platformEnvironment } from "../settings/environment.js";
import { readFolders, writtenFolders } from "./folders.js";

describe("the folders of the platform", () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "folders-"));
    file = join(folder, "file");
    await writeFile(file, "");
    await mkdir(join(folder, "inner"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const writtenPaths = (variables: Record<string, string>) => writtenFolders(platformEnvironment(variables));
  const readable = (variables: Record<string, string>) => readFolders(platformEnvironment(variables));

  it("may be missing, where the platform can make them", async () => {
    expect(await writtenPaths({ DATA_DIR: folder })).toBeUndefined();
    expect(await writtenPaths({ DATA_DIR: join(folder, "a/b/c"), FILES_DIR: join(folder, "d") })).toBeUndefined();
  });

  it("are refused with their setting when they cannot be made", async () => {
    expect(await writtenPaths({ DATA_DIR: file })).toContain(
      `DATA_DIR=${file} cannot be written: ${file} is not a folder.`,
    );
    const inFolder = { DATA_DIR: folder, REPOSITORIES_DIR: file };
    expect(await writtenPaths(inFolder)).toBeUndefined();
    expect(await writtenPaths({ ...inFolder, REPOSITORY_STORE: "folder" })).toContain(
      `REPOSITORIES_DIR=${file} cannot be`,
    );
    expect(await writtenPaths({ DATA_DIR: folder, FILES_DIR: join(file, "a") })).toMatch(
      /^FILES_DIR=\S+ cannot be written: \S+ refuses it \(ENOTDIR\)\. Give this user \(id \d+\) access, or set FILES_DIR/,
    );
  });

  it("that are only read must be readable", async () => {
    expect(await readable({ SOURCE_ROOTS: `${folder},${join(folder, "later")}` })).toBeUndefined();
    expect(await readable({ SOURCE_ROOTS: join(file, "a") })).toContain("SOURCE_ROOTS names");
    for (const setting of ["SUPERGRAPH_FILE", "PERSISTED_DOCUMENTS"])
      expect(await readable({ [setting]: join(folder, "none") })).toContain(
        `${setting}=${join(folder, "none")} cannot be read (ENOENT)`,
      );
  });
});
