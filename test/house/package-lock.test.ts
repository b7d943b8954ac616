import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root, trackedFiles } from "./tracked-files.js";

type Manifest = Record<string, unknown>;

const manifestOf = async (name: string) => JSON.parse(await readFile(join(root, name), "utf8")) as Manifest;
const members = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "engines", "bin"];
const facts = (manifest: Manifest) => Object.fromEntries(members.map((member) => [member, manifest[member] ?? {}]));

it("package-lock.json has what each package.json names, so that npm ci accepts it", async () => {
  const lock = (await manifestOf("package-lock.json"))["packages"] as Record<string, Manifest>;
  const manifests = trackedFiles().filter((path) => /(?:^|\/)package\.json$/.test(path));

  expect(manifests.length).toBeGreaterThan(8);
  for (const path of manifests) {
    const folder = dirname(path) === "." ? "" : dirname(path);
    expect([path, facts(lock[folder] ?? {})]).toEqual([path, facts(await manifestOf(path))]);
  }
});
