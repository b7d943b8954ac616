import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root, trackedFiles } from "./tracked-files.js";

type Manifest = Record<string, unknown>;

const manifestOf = async (name: string) => JSON.parse(await readFile(join(root, name), "utf8")) as Manifest;
const members = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "engines", "bin"];
const facts = (manifest: Manifest) => Object.fromEntries(members.map((member) => [member, manifest[member] ?? {}]));

it("package-lock.json has what each package.json names, so that npm ci accepts it", async () => {
  const manifests = trackedFiles().filter((path) => /(?:^|\/)package\.json$/.test(path));
  const locks = trackedFiles().filter((path) => /(?:^|\/)package-lock\.json$/.test(path));

  expect(manifests.length).toBeGreaterThan(8);
  expect(locks).toEqual(["package-lock.json", "test/tools/package-lock.json"]);
  for (const path of manifests) {
    const folder = dirname(path) === "." ? "" : dirname(path);
    const ownLock = locks.includes(`${folder}/package-lock.json`);
    const lock = await manifestOf(ownLock ? `${folder}/package-lock.json` : "package-lock.json");
    const packages = lock["packages"] as Record<string, Manifest>;
    expect([path, facts(packages[ownLock ? "" : folder] ?? {})]).toEqual([path, facts(await manifestOf(path))]);
  }
});

it("the tools have a lockfile of their own, so that the root's npm ci does not install them", async () => {
  const packages = (await manifestOf("package-lock.json"))["packages"] as Record<string, Manifest>;
  expect(Object.keys(packages).filter((path) => path.startsWith("test/tools"))).toEqual([]);
});
