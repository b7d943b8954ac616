import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMark } from "./folder-mark.js";
import { foreignFolder } from "./stored-marks.js";

const setting = "FILES_DIR";
const written = { setting, mark: "ours", isWritten: true };
const unwritten = { ...written, isWritten: false };

describe("a shared folder", () => {
  let place: string;
  /** The folders by their content. */
  let paths: Record<"ours" | "theirs" | "unmarked" | "missing" | "unreadable", string>;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), "folder-marks-"));
    const path = (name: string) => join(place, name);
    paths = {
      ...{ ours: path("ours"), theirs: path("theirs"), unmarked: path("unmarked") },
      ...{ missing: path("missing"), unreadable: path("unreadable") },
    };
    for (const name of ["ours", "theirs"] as const) await writeMark(paths[name], name);
    await mkdir(paths.unmarked);
    await mkdir(join(paths.unreadable, ".factory-folder"), { recursive: true });
  });
  afterAll(() => rm(place, { recursive: true }));

  const refusal = (path: string, storedMark: typeof written | undefined) =>
    foreignFolder({ setting, path }, storedMark);

  it("is taken with the mark of this installation, and without a mark before the first start has written it", async () => {
    expect(await refusal(paths.ours, written)).toBeUndefined();
    expect(await refusal(paths.ours, unwritten)).toBeUndefined();
    for (const path of [paths.unmarked, paths.missing])
      for (const storedMark of [unwritten, undefined]) expect(await refusal(path, storedMark)).toBeUndefined();
  });

  it("is refused when it has lost its mark, or has the one of another installation", async () => {
    const start = (path: string) =>
      `FILES_DIR=${path} is not the folder that this database knows: .factory-folder in it`;
    for (const path of [paths.unmarked, paths.missing])
      expect(await refusal(path, written)).toContain(`${start(path)} is missing.`);
    expect(await refusal(paths.theirs, written)).toContain(`${start(paths.theirs)} names another installation.`);
  });

  it("with the mark of another installation is no new folder either", async () => {
    for (const storedMark of [unwritten, undefined])
      expect(await refusal(paths.theirs, storedMark)).toContain(
        `FILES_DIR=${paths.theirs} belongs to another database.`,
      );
  });

  it("is refused when its mark cannot be read", async () => {
    for (const storedMark of [written, unwritten, undefined])
      expect(await refusal(paths.unreadable, storedMark)).toContain(
        `FILES_DIR=${paths.unreadable}: .factory-folder in it cannot be read (EISDIR).`,
      );
  });
});
