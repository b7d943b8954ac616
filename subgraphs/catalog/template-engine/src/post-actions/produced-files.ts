import { posix } from "node:path";
import type { PostAction } from "../configuration/template-config.js";
import type { TreeFile } from "../files/file-tree.js";
import { parseGlob } from "../files/glob.js";
import { member, scalarText } from "../json/jsonc.js";
import { asBuffer } from "../text/encodings.js";
import type { PostActionContext } from "./post-action-context.js";

export function textOfFile(context: PostActionContext, path: string): string {
  return fileText(context.files.get(path));
}

export function fileText(file: TreeFile | undefined): string {
  return file === undefined ? "" : asBuffer(file.bytes).toString("utf8");
}

export function write(context: PostActionContext, path: string, text: string): void {
  const executable = context.files.get(path)?.executable ?? false;
  context.files.set(path, { bytes: Buffer.from(text, "utf8"), executable });
}

/** The produced files that an argument names, by patterns for their template paths or by their output paths. */
export function configuredFiles(action: PostAction, context: PostActionContext, name: string): string[] {
  return [...new Set(configuredPaths(action, name).flatMap((pattern) => filesNamed(pattern, context)))];
}

/** The paths in an argument: a list, or one text with semicolons. */
export function configuredPaths(action: PostAction, name: string): string[] {
  const value = member(action.args, name);
  const paths = Array.isArray(value) ? value.map(scalarText) : (scalarText(value)?.split(";") ?? []);
  return paths.flatMap((path) => (path === null || path.trim() === "" ? [] : [path]));
}

export function filesNamed(pattern: string, context: PostActionContext): string[] {
  const glob = parseGlob(pattern);
  const plain = plainPath(pattern);
  return [...context.files.keys()].filter((path) => {
    const origin = context.origins.get(path);
    return path === plain || (origin !== undefined && glob.matches(origin));
  });
}

export function plainPath(path: string): string {
  return posix.normalize(path.trim().replaceAll("\\", "/")).replace(/^\.\//, "");
}
