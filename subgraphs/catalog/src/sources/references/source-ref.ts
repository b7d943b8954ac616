import { parseVersion } from "@factory/nuget/version";
import { unsafePath } from "@factory/template-engine/path-safety";
import { refNameProblem } from "../../git/ref-name.js";
import type { SourcePolicy } from "../../git/remote-policy.js";
import { readRepositoryUrl, textDanger } from "../../git/repository-url.js";

export type { SourcePolicy } from "../../git/remote-policy.js";

export interface GitSourceRef {
  kind: "git";
  transport: "https" | "http" | "file" | "ssh";
  /** Plain URL without the `git+` mark and without the fragment. */
  url: string;
  /** Branch, tag, `refs/…` name or full commit id; null is the remote's HEAD. */
  ref: string | null;
  /** Folder inside the repository; empty is its root. */
  path: string;
}

interface PinnablePackage {
  kind: "package";
  /** Of the whole package, lower case; null while it is not pinned. */
  sha256: string | null;
  /** Folder inside the package; empty leaves the choice to its layout. */
  path: string;
}

/** A package in a NuGet v3 feed of the configuration. */
export interface FeedPackageRef extends PinnablePackage {
  transport: "feed";
  packageId: string;
  version: string;
}

export type PackageSourceRef =
  | FeedPackageRef
  | (PinnablePackage & {
      transport: "https" | "http" | "file";
      /** Plain URL without the `nupkg+` mark and without the fragment. */
      url: string;
    });

export type SourceRef = GitSourceRef | PackageSourceRef;

type ParsedSourceRef = { ref: SourceRef } | { dangerous: string } | { unsupported: string };

const schemePattern = /^([a-z][a-z0-9+.-]*):/i;
const gitTransports = ["https", "http", "file", "ssh"] as const;
const packageTransports = ["https", "http", "file"] as const;
const maxPackageIdLength = 100;

/**
 * Reads a `sourceRef`. `dangerous` is refused at once; `unsupported` is kept and never resolves.
 * With a policy it also judges the host, the scheme and local folders.
 */
export function parseSourceRef(text: string, policy?: SourcePolicy): ParsedSourceRef {
  const danger = textDanger(text);
  if (danger !== undefined) return { dangerous: danger };
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { unsupported: "it has no scheme" };
  const rest = text.slice(scheme.length + 1);
  if (scheme === "nuget") return parseFeedPackage(rest);
  const [family, transport] = scheme.split("+");
  const gitTransport = gitTransports.find((known) => known === transport);
  if (family === "git" && gitTransport !== undefined) return parseGit(gitTransport, rest, policy);
  const packageTransport = packageTransports.find((known) => known === transport);
  if (family === "nupkg" && packageTransport !== undefined) return parsePackage(packageTransport, rest, policy);
  return unknownScheme(text, policy);
}

/** Writes a reference back in the grammar it was read from. */
export function formatSourceRef(source: SourceRef): string {
  const path = source.path === "" ? "" : `:${source.path}`;
  const fragment = `${pinOf(source)}${path}`;
  return `${addressOf(source)}${fragment === "" ? "" : `#${fragment}`}`;
}

function pinOf(source: SourceRef): string {
  if (source.kind === "git") return source.ref ?? "";
  return source.sha256 === null ? "" : `sha256=${source.sha256}`;
}

function addressOf(source: SourceRef): string {
  if (source.kind === "git") return `git+${source.url}`;
  return source.transport === "feed" ? `nuget:${source.packageId}@${source.version}` : `nupkg+${source.url}`;
}

function parseGit(transport: GitSourceRef["transport"], rest: string, policy?: SourcePolicy): ParsedSourceRef {
  const [address, fragment] = splitFragment(rest);
  const url = readRepositoryUrl(`${transport}:${address}`, policy);
  if (!("url" in url)) return url;
  const [ref, path] = splitAt(fragment, ":");
  const folder = readFolder(path);
  if ("dangerous" in folder) return folder;
  if (ref.startsWith("-")) return { dangerous: "the ref looks like an option" };
  if (ref !== "" && ref !== "HEAD") {
    const problem = refNameProblem(ref);
    if (problem !== undefined) return { unsupported: `the ref ${problem}` };
  }
  return {
    ref: {
      kind: "git",
      transport,
      url: url.url.href,
      ref: ref === "" || ref === "HEAD" ? null : ref,
      path: folder.path,
    },
  };
}

function parsePackage(
  transport: (typeof packageTransports)[number],
  rest: string,
  policy?: SourcePolicy,
): ParsedSourceRef {
  const [address, fragment] = splitFragment(rest);
  const url = readRepositoryUrl(`${transport}:${address}`, policy);
  if (!("url" in url)) return url;
  const place = readPackageFragment(fragment);
  return "path" in place ? { ref: { kind: "package", transport, url: url.url.href, ...place } } : place;
}

function parseFeedPackage(rest: string): ParsedSourceRef {
  const [name, fragment] = splitFragment(rest);
  const found = /^(\w+(?:[.-]\w+)*)@([0-9A-Za-z.+-]+)$/.exec(name);
  const [, packageId, version] = found ?? [];
  if (packageId === undefined || version === undefined) return { unsupported: "nuget: takes Id@Version" };
  if (packageId.length > maxPackageIdLength || parseVersion(version) === undefined) {
    return { unsupported: "the package id or its version is none of NuGet" };
  }
  const place = readPackageFragment(fragment);
  return "path" in place ? { ref: { kind: "package", transport: "feed", packageId, version, ...place } } : place;
}

type PackagePlace = { sha256: string | null; path: string } | { dangerous: string } | { unsupported: string };

/** `sha256=…:path`, or the path alone. */
function readPackageFragment(fragment: string): PackagePlace {
  const [pin, pinnedPath] = splitAt(fragment, ":");
  const pinned = /^sha256=/i.test(pin);
  const sha256 = pinned ? pin.slice("sha256=".length).toLowerCase() : null;
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256)) return { unsupported: "the sha256 is not 64 hex digits" };
  const folder = readFolder(pinned ? pinnedPath : fragment.replace(/^:/, ""));
  return "dangerous" in folder ? folder : { sha256, path: folder.path };
}

/** Even what is only stored must not carry a password or point at an inner host. */
function unknownScheme(text: string, policy?: SourcePolicy): ParsedSourceRef {
  const judged = readRepositoryUrl(text, policy);
  if ("dangerous" in judged && /^https?:/i.test(text)) return judged;
  if (URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username !== "" || password !== "") return { dangerous: "it holds credentials" };
  }
  return { unsupported: "its scheme is not known" };
}

function readFolder(text: string): { path: string } | { dangerous: string } {
  const path = text.replace(/^\/+|\/+$/g, "");
  if (path === "" || path === ".") return { path: "" };
  if (path.startsWith("-")) return { dangerous: "the path looks like an option" };
  const problem = unsafePath(path);
  return problem === undefined ? { path } : { dangerous: `the path ${problem}` };
}

function splitFragment(text: string): [string, string] {
  return splitAt(text, "#");
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
