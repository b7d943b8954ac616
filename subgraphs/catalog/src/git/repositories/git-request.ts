import type { IncomingMessage } from "node:http";

/** The parts in a path `/git/{tenantSlug}/{owner}/{name}.git/…`. */
export interface GitPath {
  /** The tenant's slug. */
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
  /** The path after the repository, without a leading slash. */
  readonly rest: string;
}

const gitPathPattern = /^\/git\/([^/]+)\/([^/]+)\/([^/]+?)(?:\.git)?\/([^?]+)/;

/** Parses `/git/{tenantSlug}/{owner}/{name}.git/…`; undefined for any other path. */
export function readGitPath(url: string): GitPath | undefined {
  const [, tenant, owner, name, rest] = gitPathPattern.exec(url) ?? [];
  if (tenant === undefined || owner === undefined || name === undefined || rest === undefined) return undefined;
  return { tenant, owner, name, rest };
}

/** A request's access token: a bearer token, or the basic authentication password, as git sends it. */
export function readGitToken(request: IncomingMessage): string | undefined {
  const [scheme = "", value = "", ...more] = (request.headers.authorization ?? "").split(/ +/);
  if (value === "" || more.length > 0) return undefined;
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return undefined;
  const credentials = Buffer.from(value, "base64").toString("utf8");
  const colon = credentials.indexOf(":");
  const password = credentials.slice(colon + 1);
  return colon === -1 || password === "" ? undefined : password;
}

export type GitService =
  | { readonly kind: "read"; readonly method: "GET" | "POST"; readonly command: string; readonly query: string }
  | { readonly kind: "write" };

const advertisementPath = "info/refs";

/** Parses a request's git service. Only the two requests in a smart read are served, never the dumb protocol. */
export function readGitService(request: IncomingMessage, rest: string): GitService | undefined {
  const service = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("service");
  if (rest === "git-receive-pack" || (rest === advertisementPath && service === "git-receive-pack"))
    return { kind: "write" };
  if (rest === advertisementPath && service === "git-upload-pack") {
    return { kind: "read", method: "GET", command: advertisementPath, query: "service=git-upload-pack" };
  }
  if (rest === "git-upload-pack") return { kind: "read", method: "POST", command: rest, query: "" };
  return undefined;
}
