import { posix } from "node:path";
import { asBuffer } from "../encodings.js";
import { parseGlob } from "../glob.js";
import { member, scalarText } from "../jsonc.js";
import type { PostAction } from "../template-config.js";
import type { PostActionContext } from "./post-action-context.js";

export function textOfFile(context: PostActionContext, path: string): string {
  const file = context.files.get(path);
  return file === undefined ? "" : asBuffer(file.bytes).toString("utf8");
}

export function write(context: PostActionContext, path: string, text: string): void {
  const executable = context.files.get(path)?.executable ?? false;
  context.files.set(path, { bytes: Buffer.from(text, "utf8"), executable });
}

/** Produced files that an argument names: by patterns over their places in the template, or by their own paths. */
export function configuredFiles(action: PostAction, context: PostActionContext, name: string): string[] {
  const value = member(action.args, name);
  const patterns = Array.isArray(value) ? value.map(scalarText) : (scalarText(value)?.split(";") ?? []);
  const found = patterns.flatMap((pattern) => {
    if (pattern === null || pattern.trim() === "") return [];
    return filesNamed(pattern, context);
  });
  return [...new Set(found)];
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
