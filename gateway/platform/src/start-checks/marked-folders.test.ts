import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMark } from "../folder-marks/folder-mark.js";
import { platformEnvironment } from "../settings/environment.js";
import { sharedFolders } from "./marked-folders.js";

describe("the folders that processes share", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "marked-folders-"));
    await writeMark(join(folder, "files"), "ours");
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** The problem of a start over a database whose mark is stored by another first start before each of these looks. */
  async function problem(...storedMarks: (string | undefined)[]): Promise<string | undefined> {
    let mark: string | undefined;
    const query = async (text: string) => {
      if (!text.includes("kept")) return { rows: [{ setting: "FILES_DIR", mark, isWritten: true }] };
      mark = storedMarks.shift();
      return { rows: [{ kept: mark !== undefined }] };
    };
    const environment = platformEnvironment({ DATA_DIR: folder, FILES_DIR: join(folder, "files") });
    return sharedFolders(environment, { query } as never);
  }

  it("are taken when another first start has marked them between the looks at database and folder", async () => {
    expect(await problem(undefined, "ours")).toBeUndefined();
  });

  it("are refused when the database still knows no mark, or another one", async () => {
    expect(await problem(undefined, undefined)).toContain("belongs to another database");
    expect(await problem("theirs", "theirs")).toContain("names another installation");
  });
});
