import { fileURLToPath } from "node:url";
import { remoteProblem, type SourcePolicy } from "./remote-policy.js";

type ReadUrl = { url: URL } | { dangerous: string } | { unsupported: string };

const secretInQuery = /[?&][^=&#]*(?:token|password|passwd|secret|key|auth|sig)[^=&#]*=/i;

/** Says why a text must not be kept at all: what it could smuggle into a log, a terminal or a command. */
export function textDanger(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return "it holds a control character";
  if (/\p{Cs}/u.test(text)) return "it is not valid Unicode";
  if (text.trimStart().startsWith("-")) return "it looks like an option";
  // git would start a program for these helpers
  if (/^\s*(?:git\+)?(?:ext|fd)::/i.test(text)) return "remote helpers are not allowed";
  return undefined;
}

/** Reads the URL of a repository or package. With a policy it also judges scheme, host and local folder. */
export function readRepositoryUrl(text: string, policy?: SourcePolicy): ReadUrl {
  // URL parsers forgive these; git and people read them differently
  if (/[\s\\]/.test(text)) return { unsupported: "the URL holds a space or a backslash" };
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) return { unsupported: "the URL cannot be read" };
  const url = new URL(text);
  if (url.protocol === "file:" ? url.host !== "" : url.host === "") return { unsupported: "the URL has a wrong host" };
  const danger = urlDanger(url, policy);
  if (danger !== undefined) return { dangerous: danger };
  if (url.search !== "") return { unsupported: "the URL has a query" };
  if (url.pathname === "" || url.pathname === "/") return { unsupported: "the URL names no repository" };
  return { url };
}

function urlDanger(url: URL, policy?: SourcePolicy): string | undefined {
  // ssh needs a login name, which is no secret
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:")) return "it holds credentials";
  if (secretInQuery.test(url.search)) return "its query may hold a credential";
  if (url.hostname.startsWith("-") || url.username.startsWith("-")) return "the host looks like an option";
  if (url.protocol === "file:" && folderHoldsControl(url)) return "the folder holds a control character";
  // while ssh is off, its addresses are kept like any other that cannot be used
  if (policy === undefined || (url.protocol === "ssh:" && policy.allowSsh !== true)) return undefined;
  return remoteProblem(url, policy);
}

function folderHoldsControl(url: URL): boolean {
  try {
    return /\p{Cc}/u.test(fileURLToPath(url));
  } catch {
    // an encoded slash: never opened, the policy reports it
    return false;
  }
}
