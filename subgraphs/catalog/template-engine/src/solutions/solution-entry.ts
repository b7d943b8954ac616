import { posix } from "node:path";

/** A project in a solution. */
export interface SolutionEntry {
  /** The path from the solution's folder, with slashes. */
  readonly path: string;
  /** The project's GUID in capitals and without braces. */
  readonly id: string;
  /** Its solution folders' names, the outermost first. */
  readonly folders: readonly string[];
}

/** The .NET tools' type GUIDs by file extension. */
const projectTypes: Readonly<Record<string, string>> = {
  ".csproj": "FAE04EC0-301F-11D3-BF4B-00C04F79EFBC",
  ".fsproj": "F2A71F9B-5D33-465A-A702-920D77279786",
  ".vbproj": "F184B08F-C81C-45F6-A57F-5ABD9991F28F",
  ".vcxproj": "8BC9CEB8-8B4A-11D0-8D11-00A0C91BC942",
  ".shproj": "D954291E-2A0B-460D-934E-DC6B0785DB48",
  ".sqlproj": "00D1A9C2-B5F0-4AF3-8072-F6C62B433612",
  ".esproj": "54A90642-561A-4BB1-A94E-469ADEE60C69",
  ".wixproj": "B7DD6F7E-DEF8-4E67-B5B7-07EF123DB6F0",
  ".wapproj": "C7167F0D-BC9F-4E6E-AFE1-012C56B48DB5",
  ".dcproj": "E53339B2-1760-4266-BCC7-CA923CBCF16C",
  ".pyproj": "888888A0-9F3D-457C-B088-3A5042F75D52",
};

const anyProjectType = "13B669BE-BB05-4DDF-9536-439F39A36129";

export const solutionFolderType = "2150E333-8FDC-42A3-9474-1A3956D46DE8";

/** A project's type by its extension; an unknown extension has the type of any project. */
export function projectType(path: string): { id: string; known: boolean } {
  const id = projectTypes[posix.extname(path).toLowerCase()];
  return id === undefined ? { id: anyProjectType, known: false } : { id, known: true };
}

export function projectName(path: string): string {
  return posix.basename(path, posix.extname(path));
}

/** The folders in a project path, without the last one when it has the project's name. */
export function foldersOf(path: string): string[] {
  const folders = path.split("/").slice(0, -1);
  if (folders[0] === "..") return [];
  return folders.at(-1) === projectName(path) ? folders.slice(0, -1) : folders;
}

/** Whether two project paths are the same, ignoring case and the kind of slash. */
export function samePath(x: string, y: string): boolean {
  const plain = (path: string) => posix.normalize(path.replaceAll("\\", "/")).toLowerCase();
  return plain(x) === plain(y);
}
