import { execFile } from "node:child_process";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The template pack that the demo, the README and the tests use. */
export const samplePack = fileURLToPath(new URL("../../../../test/fixtures/web-api-template", import.meta.url));

const identity = {
  GIT_AUTHOR_NAME: "sample",
  GIT_AUTHOR_EMAIL: "sample@localhost",
  GIT_COMMITTER_NAME: "sample",
  GIT_COMMITTER_EMAIL: "sample@localhost",
};
const date = "2026-01-01T00:00:00Z";

/** Creates a bare repository with one commit on `main` that contains a folder's files. */
export async function writeTemplateRepository(folder: string, repository: string): Promise<void> {
  const unfinishedRepository = `${repository}.new`;
  await rm(unfinishedRepository, { recursive: true, force: true });
  const env = {
    PATH: `${process.execPath}:/usr/local/bin:/usr/bin:/bin`,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    ...identity,
  };
  const git = (...args: string[]) => run("git", args, { env });
  await git("init", "--quiet", "--bare", "--initial-branch=main", "--template=", unfinishedRepository);
  await git("--git-dir", unfinishedRepository, "--work-tree", folder, "add", "--all", "--force");
  await git(
    "--git-dir",
    unfinishedRepository,
    "--work-tree",
    folder,
    "commit",
    "--quiet",
    "--message=A web API template",
  );
  await rename(unfinishedRepository, repository);
}

/** Creates `DATA_DIR/samples/web-api.git` if it is missing. The README's first example registers this repository. */
export async function writeSampleRepository(dataDir: string): Promise<void> {
  const samples = join(dataDir, "samples");
  const repository = join(samples, "web-api.git");
  const present = await access(repository).then(
    () => true,
    () => false,
  );
  if (present) return;
  await mkdir(samples, { recursive: true });
  await writeTemplateRepository(samplePack, repository);
}
