import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../house/tracked-files.js";
import { CheckoutCopy } from "../../planted-faults/checkout-copy.js";
import { ran } from "../../planted-faults/command.js";

/** The last commit before several processes and releases shared one database by rules. */
const formerCommit = "e8f0be1713b46c148d511e07a6ee98ec7a65c915";
const installMs = 900_000;

interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** The former release, built in a folder beside this checkout; undefined where the clone does not have its commit. */
export async function buildFormerRelease(): Promise<CheckoutCopy | undefined> {
  const commitCheck = await ran(["git", "cat-file", "-e", `${formerCommit}^{commit}`], {
    folder: root,
    limitMs: 60_000,
  });
  if (commitCheck.code !== 0) return undefined;
  const copy = await CheckoutCopy.create(root, formerCommit);
  try {
    if (!(await hasItsPackages(copy.folder))) await install(copy.folder);
    await copy.bundle();
    return copy;
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/** The sentence for a clone without the commit. */
export const missingCommit = `the clone does not have the commit ${formerCommit.slice(0, 8)} (git fetch --unshallow)`;

/** Whether this checkout, whose packages the copy has, installs the versions that the former release names. */
async function hasItsPackages(folder: string): Promise<boolean> {
  const [former, present] = await Promise.all([folder, root].map(packagesOf));
  return Object.entries(former ?? {}).every(([path, { version }]) => present?.[path]?.version === version);
}

async function packagesOf(folder: string): Promise<PackageLock["packages"]> {
  return (JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")) as PackageLock).packages;
}

async function install(folder: string): Promise<void> {
  const { code, output } = await ran(["npm", "ci"], { folder, limitMs: installMs });
  if (code !== 0) throw new Error(`npm ci of the former release ended with ${code}: ${output.slice(-2000)}`);
}
