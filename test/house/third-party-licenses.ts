/** A package lock's parts (version 3) that tell licenses. */
interface PackageLock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
  /** True for a package that only development needs. */
  readonly dev?: boolean;
}

/** Packages whose manifest does not name their license by an SPDX expression. Their files do. */
const inTheirFiles: Readonly<Record<string, string>> = {
  "dejavu-fonts-ttf": "Bitstream-Vera",
  "png-js": "MIT",
};

const modules = "node_modules/";

/** The packages that run in the product, by license. Throws when a package does not tell its license. */
export function packagesByLicense({ packages }: PackageLock): Map<string, string[]> {
  const byLicense = new Map<string, Set<string>>();
  for (const [path, { version, license, link, dev }] of Object.entries(packages)) {
    if (!path.includes(modules) || link || dev) continue;
    const name = path.slice(path.lastIndexOf(modules) + modules.length);
    const licenseName = inTheirFiles[name] ?? license;
    if (licenseName === undefined) throw new Error(`${name} does not tell its license. Add it to inTheirFiles.`);
    byLicense.set(licenseName, (byLicense.get(licenseName) ?? new Set()).add(`${name} ${version}`));
  }
  const entries = [...byLicense].map(([license, names]) => [license, [...names].sort()] as const);
  return new Map(
    entries.sort(([, some], [, others]) => others.length - some.length).map(([name, list]) => [name, list]),
  );
}

/** The page `THIRD-PARTY-LICENSES.md`. */
export function licensePage(lock: PackageLock): string {
  const sections = [...packagesByLicense(lock)].map(
    ([license, names]) => `## ${license}\n\n${names.map((name) => `- ${name}`).join("\n")}\n`,
  );
  return [
    "# Licenses of other packages\n",
    "The packages of the product by license, as their manifests tell it (SPDX). Each package has its license text in its folder. Packages that only development needs are not listed. `npm run licenses` writes this page from `package-lock.json`.\n",
    ...sections,
  ].join("\n");
}
