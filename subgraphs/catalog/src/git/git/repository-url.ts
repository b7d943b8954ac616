import { fileURLToPath } from "node:url";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import { remoteProblem, type SourcePolicy } from "./remote-policy.js";

type ReadUrl = { url: URL } | { dangerous: string } | { unsupported: string };

const secretInQuery = /[?&][^=&#]*(?:token|password|passwd|secret|key|auth|sig)[^=&#]*=/i;

/**
 * Why a text must not even be stored: it could inject something into a log, a terminal or a command. Undefined when it
 * is safe.
 */
export function textDanger(text: string): string | undefined {
  if (/\p{Cc}/u.test(text)) return "it contains a control character";
  if (/\p{Cs}/u.test(text)) return "it is not valid Unicode";
  if (text.trimStart().startsWith("-")) return "it looks like an option";
  // Git starts a program for these remote helpers.
  if (/^\s*(?:git\+)?(?:ext|fd)::/i.test(text)) return "remote helpers of git are not allowed";
  return undefined;
}

/** Parses a repository or package URL. With a policy it also checks the scheme, the host and the local folder. */
export function readRepositoryUrl(text: string, policy?: SourcePolicy): ReadUrl {
  // URL parsers accept these characters, but git reads them differently.
  if (/[\s\\]/.test(text)) return { unsupported: "the URL contains a space or a backslash" };
  const ascii = asciiUrl(text);
  const url = /^\w+:\/\//.test(text) ? URL.parse(ascii ?? text) : null;
  if (url === null) return { unsupported: "the URL cannot be read" };
  if (url.protocol === "file:" ? url.host !== "" : url.host === "")
    return { unsupported: "the URL has no host, or a file URL has one" };
  const danger = urlDanger(url, policy);
  if (danger !== undefined) return { dangerous: danger };
  // as an IP address in another script's digits, which is dangerous in production and never a name
  if (ascii === undefined) return { unsupported: "the URL cannot be read" };
  if (url.search !== "") return { unsupported: "the URL has a query, which is not allowed" };
  if (url.pathname === "" || url.pathname === "/") return { unsupported: "the URL has no path to a repository" };
  return { url };
}

function urlDanger(url: URL, policy?: SourcePolicy): string | undefined {
  // An ssh URL needs a login name, which is not a secret.
  if (url.password !== "" || (url.username !== "" && url.protocol !== "ssh:"))
    return "it contains credentials. Use a credential of the tenant instead";
  if (secretInQuery.test(url.search)) return "its query may contain a credential";
  if (url.hostname.startsWith("-") || url.username.startsWith("-")) return "the host looks like an option";
  if (url.protocol === "file:" && folderHoldsControl(url)) return "the folder contains a control character";
  // While ssh is not allowed, an ssh URL is unsupported rather than dangerous.
  if (policy === undefined || (url.protocol === "ssh:" && policy.allowSsh !== true)) return undefined;
  return remoteProblem(url, policy);
}

function folderHoldsControl(url: URL): boolean {
  try {
    return /\p{Cc}/u.test(fileURLToPath(url));
  } catch {
    // The URL has an encoded slash. The policy refuses it.
    return false;
  }
}
