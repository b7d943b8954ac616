import { propertyOf } from "./msbuild.js";
import { lookupPaths } from "./project-files.js";
import type { ScaffoldTexts } from "./scaffold-texts.js";

/** The files that can turn on central package management. */
export const centralFileNames = ["Directory.Packages.props", "Directory.Build.props"] as const;

const emptyCentralFile = `<Project>
  <PropertyGroup>
    <ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>
  </PropertyGroup>
</Project>
`;

/**
 * The central file for this project's package versions; undefined where the project does not use central package
 * management.
 */
export function centralVersionsOf(project: string, texts: ScaffoldTexts): string | undefined {
  const [packages, build] = centralFileNames.map((name) =>
    lookupPaths(project, name).find((path) => texts.read(path) !== undefined),
  );
  // MSBuild evaluates these files in the reverse order, and the last setting wins
  const setting =
    managedCentrally(texts, project) ?? managedCentrally(texts, packages) ?? managedCentrally(texts, build);
  if (setting !== true) return undefined;
  if (packages !== undefined) return packages;
  const [, ...above] = lookupPaths(project, "Directory.Packages.props");
  const createdPath = above.at(-1) ?? "Directory.Packages.props";
  texts.create(createdPath, emptyCentralFile);
  return createdPath;
}

function managedCentrally(texts: ScaffoldTexts, path: string | undefined): boolean | undefined {
  const text = path === undefined ? undefined : texts.read(path);
  const value = text === undefined ? undefined : propertyOf(text, "ManagePackageVersionsCentrally")?.toLowerCase();
  return value === "true" || value === "false" ? value === "true" : undefined;
}
