const maxRefBytes = 244;

// The characters that git refuses in any ref (git-check-ref-format, rules 4 and 5).
const forbiddenCharacters = /[\p{Cc} ~^:?*[\\]/u;

/** Why git refuses a branch or tag name; undefined when it accepts the name. */
export function refNameProblem(name: string): string | undefined {
  if (name === "") return "is empty";
  if (Buffer.byteLength(name) > maxRefBytes) return `is longer than ${maxRefBytes} bytes`;
  if (/\p{Cs}/u.test(name)) return "is not valid Unicode";
  if (name.startsWith("-")) return "starts with a dash";
  if (name === "@" || name === "HEAD") return `is the reserved name "${name}"`;
  if (forbiddenCharacters.test(name)) return "contains a space, a control character or one of ~ ^ : ? * [ \\";
  if (name.includes("..") || name.includes("@{")) return 'contains ".." or "@{"';
  if (name.endsWith(".")) return "ends in a dot";
  return name.split("/").map(partProblem).find(Boolean);
}

function partProblem(part: string): string | undefined {
  if (part === "") return "has an empty part";
  if (part.startsWith(".")) return "has a part that starts with a dot";
  if (part.endsWith(".lock")) return 'has a part that ends in ".lock"';
  return undefined;
}

const commitIdPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** True for a full commit id, SHA-1 or SHA-256. */
export function isCommitId(text: string): boolean {
  return commitIdPattern.test(text);
}
