import { decodeText } from "@factory/template-engine/encodings";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { Finding } from "@factory/template-engine/finding";
import { positionAt } from "@factory/template-engine/jsonc";
import { finding } from "../findings/finding-codes.js";

const projectFile = /\.\w*proj$/i;
const setting = /<ManagePackageVersionsCentrally\b[^>]*>\s*(true|false)\s*</gi;
const versionedReference = /<PackageReference\b(?=[^>]*\bInclude\s*=)(?=[^>]*\sVersion\s*=)[^>]*>/i;
/** The files in which MSBuild looks for the setting when the project does not have it. The nearest folder is first. */
const centralFiles = ["Directory.Packages.props", "Directory.Build.props"];

/** NuGet refuses a project that names a version although package versions are managed centrally (NU1008). */
export function versionsUnderCentralManagement(files: FileTree): Finding[] {
  return Array.from(files.keys())
    .filter((path) => projectFile.test(path))
    .flatMap((path) => {
      const text = textOf(files, path);
      const at = text.replace(/<!--[^]*?-->/g, (comment) => " ".repeat(comment.length)).search(versionedReference);
      if (at < 0) return [];
      const central = settingOf(text) === undefined ? centralFileOf(files, path) : undefined;
      const isManaged = settingOf(text) ?? (central !== undefined && settingOf(textOf(files, central)) === true);
      if (!isManaged) return [];
      const where = central ?? path;
      const message = `The project names the version of a package, but ${where} switches central package management on.`;
      const suggestion = "Move the version into a PackageVersion item of Directory.Packages.props.";
      const place = { path, ...positionAt(text, at), suggestion };
      return [finding("PackageReferenceWithVersionUnderCpm", message, place)];
    });
}

function centralFileOf(files: FileTree, project: string): string | undefined {
  for (const name of centralFiles) {
    const nearest = foldersAbove(project)
      .map((folder) => `${folder}${name}`)
      .find((path) => files.has(path));
    if (nearest !== undefined && settingOf(textOf(files, nearest)) !== undefined) return nearest;
  }
  return undefined;
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/`), ""];
}

/** The last value in the file; conditions are not evaluated. */
function settingOf(text: string): boolean | undefined {
  const last = [...text.matchAll(setting)].at(-1)?.[1];
  return last === undefined ? undefined : last.toLowerCase() === "true";
}

function textOf(files: FileTree, path: string): string {
  const bytes = files.get(path)?.bytes;
  return bytes ? decodeText(bytes) : "";
}
