const maxPathLength = 240;
const maxPathDepth = 32;

const reservedNames = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/;

// HFS+ ignores these code points, so a name with them can mean .git on a Mac (the list behind git's core.protectHFS)
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Writes control characters and lone surrogates as `\uXXXX`, so that the path can be shown and stored. */
export function visiblePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cs}]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The reason why a path is not allowed in a tree, as the end of a sentence; undefined when it is allowed. */
export function unsafePath(path: string): string | undefined {
  if (path.length === 0) return "is empty";
  const control = controlCharacter(path);
  if (control !== undefined) return control;
  if (path.includes("\\")) return "contains a backslash";
  if (path.startsWith("/")) return "is absolute";
  if (/^[a-z]:/i.test(path)) return "begins with a drive letter";
  if (path.length > maxPathLength) return `is longer than ${maxPathLength} characters`;
  const parts = path.split("/");
  if (parts.length > maxPathDepth) return `is deeper than ${maxPathDepth} folders`;
  for (const part of parts) {
    const reason = unsafePart(part);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function controlCharacter(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return "contains a control character";
  if (/\p{Cs}/u.test(path)) return "is not valid Unicode";
  return undefined;
}

function unsafePart(part: string): string | undefined {
  if (part === "") return "has an empty part";
  if (part === "." || part === "..") return `contains "${part}"`;
  if (part.includes(":")) return "contains a colon, which opens an alternate stream on NTFS";
  const name = part
    .normalize("NFKC")
    .replace(ignoredByHfs, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");
  if (name === ".git" || name === "git~1") return "leads into .git";
  if (/[. ]$/.test(part)) return "has a part that ends with a dot or a space";
  const stem = (part.split(".")[0] ?? "").trimEnd().toLowerCase();
  if (reservedNames.test(stem)) return `contains the reserved name "${stem}"`;
  return undefined;
}

type Seen = Map<string, { spelling: string; path: string; file: boolean }>;

/** Path pairs that are one path on a case-insensitive or normalizing file system. A file may collide with a folder. */
export function collidingPaths(paths: Iterable<string>): [string, string][] {
  const spellings: Seen = new Map();
  const collisions: [string, string][] = [];
  for (const path of paths) {
    const hit = register(spellings, path);
    if (hit !== undefined) collisions.push([hit, path]);
  }
  return collisions;
}

function register(spellings: Seen, path: string): string | undefined {
  let end = path.indexOf("/");
  while (end !== -1) {
    const hit = visit(spellings, path.slice(0, end), path, false);
    if (hit !== undefined) return hit;
    end = path.indexOf("/", end + 1);
  }
  return visit(spellings, path, path, true);
}

function visit(spellings: Seen, prefix: string, path: string, file: boolean): string | undefined {
  const key = foldedPath(prefix);
  const earlier = spellings.get(key);
  if (earlier === undefined) {
    spellings.set(key, { spelling: prefix, path, file });
    return undefined;
  }
  const sameFolder = earlier.spelling === prefix && !earlier.file && !file;
  return sameFolder ? undefined : earlier.path;
}

function foldedPath(path: string): string {
  return path.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
