import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const memory = "/dev/shm";
const folderName = "factory-tests-";
/** Half of the memory of a machine with 12 GiB. A whole run takes less than 2 GiB. */
const neededBytes = 6 * 1024 ** 3;

/**
 * Suites create and delete files by the thousand. A folder in memory takes a tenth of the system time of ext4, and no
 * wait for a disk. TMPDIR stays as it is where the caller has set it, and where memory is short or runs no programs.
 */
function useMemoryForTemporaryFiles() {
  if (process.env.TMPDIR || !isUsableMemory()) return;
  for (const left of readdirSync(memory).filter((name) => name.startsWith(folderName)))
    if (!existsSync(`/proc/${left.slice(folderName.length)}`)) removeOwn(`${memory}/${left}`);
  const folder = `${memory}/${folderName}${process.pid}`;
  mkdirSync(folder, { recursive: true });
  // as /tmp, since a suite that runs as root also starts programs under other accounts
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once("exit", () => removeOwn(folder));
}

/** A folder that another account has left is not ours to remove. One with a mounted file system stays. */
function removeOwn(folder) {
  try {
    if (statSync(folder).uid === process.getuid()) rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    process.emitWarning(`${folder} stays: ${error.message}`);
  }
}

function isUsableMemory() {
  if (!existsSync("/proc/mounts")) return false;
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const options = mounts.findLast(([, place]) => place === memory)?.[3]?.split(",") ?? ["noexec"];
  if (options.includes("noexec") || options.includes("ro")) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize >= neededBytes;
}

useMemoryForTemporaryFiles();

const runnerFile = (name) => fileURLToPath(new URL(`test/dist/runner/${name}.js`, import.meta.url));

const unit = (name, folder) => ({
  displayName: name,
  rootDir: folder,
  roots: ["<rootDir>/src"],
  testMatch: ["**/*.test.ts"],
  ...shared,
});

// suites share the modules of their worker process, as `test/runner` loads them
const shared = {
  testRunner: runnerFile("suite-runner"),
  testEnvironment: runnerFile("shared-environment"),
  extensionsToTreatAsEsm: [".ts"],
  transform: {},
};

export default {
  // suites wait as much as they compute, so there is one more than cores; the stack suites share one platform
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testSequencer: runnerFile("suite-order"),
  // longer than any wait inside a test, so that a failure names the condition it waited for, and a slow machine does not fail
  testTimeout: 1_800_000,
  // a worker ends its database when it has no more suites, and jest its own with `-i`
  workerGracefulExitTimeout: 20_000,
  openHandlesTimeout: 20_000,
  projects: [
    unit("runtime", "subgraphs/runtime"),
    unit("template-engine", "subgraphs/catalog/template-engine"),
    unit("nuget", "subgraphs/catalog/nuget"),
    unit("catalog", "subgraphs/catalog"),
    unit("integration", "subgraphs/integration"),
    unit("spine", "subgraphs/spine"),
    unit("gateway", "gateway"),
    unit("platform", "gateway/platform"),
    unit("rest-facade", "rest-facade"),
    {
      ...shared,
      displayName: "house",
      rootDir: "test",
      testMatch: ["<rootDir>/{house,runner,planted-faults}/**/*.test.ts"],
    },
    {
      ...shared,
      displayName: "stack",
      rootDir: "test",
      testMatch: ["<rootDir>/{contract,audit,rest,graphql,grpc,subscriptions,events,pages,faults}/**/*.test.ts"],
      globalSetup: "<rootDir>/dist/kit/start-platform.js",
      globalTeardown: "<rootDir>/dist/kit/stop-platform.js",
    },
  ],
};
