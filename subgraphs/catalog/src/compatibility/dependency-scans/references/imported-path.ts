import { posix } from "node:path";

/** Folders for MSBuild, SDKs and restored packages: a render does not have them. */
const outside =
  /^\$\((?:msbuild(?:extensionspath(?:32|64)?|toolspath(?:32|64)?|binpath|sdkspath|frameworktoolspath\w*|programfiles32|userextensionspath)|vstoolspath|vsinstallroot|nugetpackageroot|vctargetspath|userprofile|programfiles)\)(?!.*\.\.)/i;

/**
 * The path in the render that an import names, or a file that is not there; undefined where only a build knows it.
 * Paths that begin with a slash begin at the render's root.
 */
export function importedPath(text: string, folder: string): string | undefined {
  const path = text.trim().replaceAll("\\", "/");
  if (outside.test(path)) return "";
  if (/[$@%]\(|[*?%]/.test(path)) return undefined;
  return posix.normalize(path.startsWith("/") ? path : `/${folder}/${path}`).slice(1);
}
