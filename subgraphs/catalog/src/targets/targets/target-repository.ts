import { refNameProblem } from "../../git/git/ref-name.js";
import type { SourcePolicy } from "../../git/git/remote-policy.js";
import { readRepositoryUrl, textDanger } from "../../git/git/repository-url.js";
import { repositoryNameProblem } from "../../git/repositories/port/repository-name.js";

type TargetRepository =
  | { kind: "url"; url: string }
  | { kind: "shorthand"; owner: string; name: string }
  | { problem: string };

const targetProtocols = new Set(["https:", "http:", "file:", "ssh:"]);

/** Parses `target.repository`: a git URL, or `owner/name` in the platform's own git store. */
export function parseTargetRepository(text: string, policy: SourcePolicy): TargetRepository {
  const danger = textDanger(text);
  if (danger !== undefined) return { problem: danger };
  if (!text.includes(":")) return parseShorthand(text);
  if (/^ssh:\/\//i.test(text) && policy.allowSsh !== true) return { problem: "targets over ssh are not allowed here" };
  const readUrl = readRepositoryUrl(text, policy);
  if ("dangerous" in readUrl) return { problem: readUrl.dangerous };
  if ("unsupported" in readUrl) return { problem: readUrl.unsupported };
  if (readUrl.url.hash !== "") return { problem: "the URL has a fragment. Use target.branch for the branch" };
  if (!targetProtocols.has(readUrl.url.protocol))
    return { problem: `the scheme ${readUrl.url.protocol} is not allowed. Use https` };
  return { kind: "url", url: readUrl.url.href };
}

function parseShorthand(text: string): TargetRepository {
  const [owner = "", rest = "", ...more] = text.split("/");
  const name = rest.replace(/\.git$/i, "");
  if (more.length > 0 || repositoryNameProblem(owner) !== undefined || repositoryNameProblem(name) !== undefined) {
    return {
      problem:
        "it is neither a git URL nor owner/name. Use for example https://git.example/acme/orders.git or acme/orders",
    };
  }
  return { kind: "shorthand", owner, name };
}

/** Why git refuses a branch name; undefined when it accepts the name. */
export function branchProblem(name: string): string | undefined {
  // refs/heads/refs/heads/x is legal in git, but the caller's mistake.
  return name.startsWith("refs/") ? "is a full ref name" : refNameProblem(name);
}
