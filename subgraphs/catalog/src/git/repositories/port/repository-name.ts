import { unsafePath } from "@factory/template-engine/path-safety";

const namePattern = /^\w[\w.-]{0,99}$/;

/** Why a text cannot be an owner's or a repository's name in the embedded store; undefined when it can. */
export function repositoryNameProblem(name: string): string | undefined {
  if (!namePattern.test(name)) return "takes up to 100 letters, digits, dots, dashes and underscores";
  if (/\.(?:git|lock)$/i.test(name)) return "ends in .git or .lock";
  return unsafePath(name);
}
