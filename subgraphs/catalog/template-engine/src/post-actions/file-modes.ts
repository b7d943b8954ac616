import type { PostAction } from "../configuration/template-config.js";
import { scalarText } from "../json/jsonc.js";
import { label, type PostActionContext } from "./post-action-context.js";

/** Makes files executable: `{"+x": "build.sh"}`, also with a list of patterns. */
export function makeExecutable(action: PostAction, context: PostActionContext): boolean {
  let isComplete = true;
  for (const [mode, value] of Object.entries(action.args)) {
    const patterns = Array.isArray(value) ? value.map(scalarText) : [scalarText(value)];
    for (const pattern of patterns) {
      if (pattern === null || !setMode(mode, pattern, context)) isComplete = false;
    }
  }
  if (!isComplete)
    context.report.warn("PostActionSkipped", `The post action "${label(action)}" was done only in part.`);
  return isComplete;
}

function setMode(mode: string, pattern: string, context: PostActionContext): boolean {
  const executable = executableBy(mode);
  if (executable === undefined) return false;
  const matcher = shellPattern(pattern.replace(/^\.\//, ""));
  let hasMatch = false;
  for (const [path, file] of context.files) {
    if (!matcher.test(path)) continue;
    hasMatch = true;
    context.files.set(path, { bytes: file.bytes, executable });
  }
  return hasMatch;
}

/** Git stores one bit only: whether the owner may execute the file. */
function executableBy(mode: string): boolean | undefined {
  const text = mode.trim();
  if (/^0?[0-7]{3}$/.test(text)) return (Number.parseInt(text.slice(-3, -2), 8) & 1) === 1;
  const match = /^[ugoa]*([+=-])([rwxX]+)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, rights = ""] = match;
  if (!/x/i.test(rights)) return sign === "=" ? false : undefined;
  return sign !== "-";
}

function shellPattern(pattern: string): RegExp {
  const source = Array.from(pattern, (character) => {
    if (character === "*") return "[^/]*";
    if (character === "?") return "[^/]";
    return character.replace(/[\\^$.|+()[\]{}/]/g, "\\$&");
  });
  return new RegExp(`^${source.join("").replace(/(?:\[\^\/\]\*)+/g, "[^/]*")}$`, "u");
}
