import { parseVersion } from "@factory/nuget/version";
import { unsafePath } from "@factory/template-engine/path-safety";
import { refNameProblem } from "../../../git/git/ref-name.js";
import type { SourcePolicy } from "../../../git/git/remote-policy.js";
import { readRepositoryUrl, textDanger } from "../../../git/git/repository-url.js";

export type { SourcePolicy } from "../../../git/git/remote-policy.js";

/** A reference to a folder in a git repository: `git+<url>#<ref>:<path>`. */
export interface GitSourceRef {
  kind: "git";
  transport: "https" | "http" | "file" | "ssh";
  /** The URL without the prefix `git+` and without the fragment. */
  url: string;
  /** A branch, a tag, a name `refs/…` or a full commit id. Null means the remote's HEAD. */
  ref: string | null;
  /** The folder inside the repository. Empty means its root. */
  path: string;
}

interface PinnablePackage {
  kind: "package";
  /** The whole package's SHA-256, in lower case. Null while the reference is not pinned. */
  sha256: string | null;
  /** The folder inside the package. Empty leaves the choice to the package's layout. */
  path: string;
}

/** A package in one of the configured NuGet v3 feeds: `nuget:<id>@<version>`. */
export interface FeedPackageRef extends PinnablePackage {
  transport: "feed";
  packageId: string;
  version: string;
}

/** A reference to a package in a feed, or to a zip package by URL: `nupkg+<url>#sha256=<hex>:<path>`. */
export type PackageSourceRef =
  | FeedPackageRef
  | (PinnablePackage & {
      transport: "https" | "http" | "file";
      /** The URL without the prefix `nupkg+` and without the fragment. */
      url: string;
    });

/** A template version's parsed `sourceRef`. */
export type SourceRef = GitSourceRef | PackageSourceRef;

type ParsedSourceRef = { ref: SourceRef } | { dangerous: string } | { unsupported: string };

const schemePattern = /^([a-z][a-z0-9+.-]*):/i;
const gitTransports = ["https", "http", "file", "ssh"] as const;
const packageTransports = ["https", "http", "file"] as const;
const maxPackageIdLength = 100;

/**
 * Parses a `sourceRef`. A `dangerous` one must be refused; an `unsupported` one may be stored, but never resolves. With
 * a policy it also checks the scheme, the host and local folders.
 */
export function parseSourceRef(text: string, policy?: SourcePolicy): ParsedSourceRef {
  const danger = textDanger(text);
  if (danger !== undefined) return { dangerous: danger };
  const scheme = schemePattern.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { unsupported: "it has no scheme. Use git+https:, nupkg+https: or nuget:" };
  const rest = text.slice(scheme.length + 1);
  if (scheme === "nuget") return parseFeedPackage(rest);
  const [family, transport] = scheme.split("+");
  const gitTransport = gitTransports.find((candidate) => candidate === transport);
  if (family === "git" && gitTransport !== undefined) return parseGit(gitTransport, rest, policy);
  const packageTransport = packageTransports.find((candidate) => candidate === transport);
  if (family === "nupkg" && packageTransport !== undefined) return parsePackage(packageTransport, rest, policy);
  return unknownScheme(text, policy);
}

/** Formats a reference in the grammar that `parseSourceRef` reads. */
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
  const match = /^(\w+(?:[.-]\w+)*)@([0-9A-Za-z.+-]+)$/.exec(name);
  const [, packageId, version] = match ?? [];
  if (packageId === undefined || version === undefined)
    return { unsupported: "a nuget: reference has the form nuget:Id@Version" };
  if (packageId.length > maxPackageIdLength || parseVersion(version) === undefined) {
    return { unsupported: "the package id or the version is not valid in NuGet" };
  }
  const place = readPackageFragment(fragment);
  return "path" in place ? { ref: { kind: "package", transport: "feed", packageId, version, ...place } } : place;
}

type PackagePlace = { sha256: string | null; path: string } | { dangerous: string } | { unsupported: string };

/** Parses a package's fragment: `sha256=…:path`, or the path alone. */
function readPackageFragment(fragment: string): PackagePlace {
  const [pin, pinnedPath] = splitAt(fragment, ":");
  const isPinned = /^sha256=/i.test(pin);
  const sha256 = isPinned ? pin.slice("sha256=".length).toLowerCase() : null;
  if (sha256 !== null && !/^[0-9a-f]{64}$/.test(sha256))
    return { unsupported: "the sha256 must have 64 hexadecimal digits" };
  const folder = readFolder(isPinned ? pinnedPath : fragment.replace(/^:/, ""));
  return "dangerous" in folder ? folder : { sha256, path: folder.path };
}

/** A reference that is only stored must not contain a password or name an internal host either. */
function unknownScheme(text: string, policy?: SourcePolicy): ParsedSourceRef {
  const judgedUrl = readRepositoryUrl(text, policy);
  if ("dangerous" in judgedUrl && /^https?:/i.test(text)) return judgedUrl;
  if (URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (username !== "" || password !== "") return { dangerous: "it contains credentials" };
  }
  return { unsupported: "its scheme is not supported. Use git+https:, nupkg+https: or nuget:" };
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
