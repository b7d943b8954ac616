import type { FileTree } from "@factory/template-engine/file-tree";
import { readText } from "./text-file.js";

/** Project types that do not build a .NET assembly and cannot reference packages. */
const otherProjects = new Set([".shproj", ".dcproj", ".vcxproj", ".esproj", ".proj"]);

/** The projects that libraries are added to: the primary outputs, else the generated projects nearest to the root, without tests. */
export function projectsForLibraries(files: FileTree, primaryOutputs: readonly string[]): string[] {
  const primary = primaryOutputs.map(normalise).filter((path) => files.has(path) && isProject(path));
  if (primary.length > 0) {
    const products = primary.filter((path) => !isTest(files, path));
    return [...new Set(products.length > 0 ? products : primary)].sort();
  }
  const products = [...files.keys()].filter((path) => isProject(path) && !isTest(files, path));
  const least = Math.min(...products.map(depth));
  return products.filter((path) => depth(path) === least).sort();
}

/** The paths at which MSBuild looks for a file with that name: from the project's folder up to the root. */
export function lookupPaths(project: string, name: string): string[] {
  const folders = project.split("/").slice(0, -1);
  return [...folders.keys(), folders.length]
    .toReversed()
    .map((length) => [...folders.slice(0, length), name].join("/"));
}

function normalise(path: string): string {
  return path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
}

function isProject(path: string): boolean {
  const extension = /\.[a-z]*proj$/i.exec(path)?.[0].toLowerCase();
  return extension !== undefined && !otherProjects.has(extension);
}

function isTest(files: FileTree, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (/\.tests?\.(?:[^/]*\.)?[a-z]*proj$/i.test(name)) return true;
  const file = files.get(path);
  return file !== undefined && /<IsTestProject>\s*true\s*</i.test(readText(path, file.bytes).text);
}

function depth(path: string): number {
  return path.split("/").length;
}
