import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupEnvironment } from "./environment.js";

const passphrase = "correct horse battery staple";

describe("the settings of a backup", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "backup-environment-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("have the passphrase of a file, without the end of its line", async () => {
    const file = join(folder, "passphrase");
    await writeFile(file, `${passphrase}\n`);
    expect(backupEnvironment({ BACKUP_PASSPHRASE_FILE: file }).passphrase).toBe(passphrase);
  });

  it("have the folders and keys of the platform", () => {
    const variables = { DATA_DIR: folder, SECRETS_KEY: "k".repeat(32), SECRETS_KEY_PREVIOUS: "former" };
    expect(backupEnvironment({ ...variables, BACKUP_PASSPHRASE: passphrase })).toMatchObject({
      ...{ dataDir: folder, filesDir: join(folder, "files"), databaseUrl: undefined },
      repositoriesDir: join(folder, "repositories"),
      ...{ secretsKey: "k".repeat(32), previousSecretsKeys: ["former"], passphrase },
    });
  });

  it.each([
    ["no passphrase", {}, "Set BACKUP_PASSPHRASE_FILE"],
    ["two passphrases", { BACKUP_PASSPHRASE: passphrase, BACKUP_PASSPHRASE_FILE: "/x" }, "Set BACKUP_PASSPHRASE_FILE"],
    ["a short one", { BACKUP_PASSPHRASE: "short" }, "must have at least 16 characters"],
    ["a missing file", { BACKUP_PASSPHRASE_FILE: "/missing/file" }, "cannot be read"],
  ])("are refused with %s, in one line", (_, variables, line) => {
    expect(() => backupEnvironment(variables)).toThrow(line);
    expect(() => backupEnvironment(variables)).toThrow(/^[^\n]+$/);
  });
});
