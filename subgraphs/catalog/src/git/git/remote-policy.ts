import { realpath } from "node:fs/promises";
import { isIP } from "node:net";
import { join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { HostLookup } from "@factory/runtime/egress/host-lookup";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import { addressKind } from "./address-kind.js";

/** The remotes that this process may connect to, as sources and as targets. */
export interface SourcePolicy {
  allowFile: boolean;
  /** Folders that may contain local repositories. Empty allows all folders, which only development does. */
  fileRoots: readonly string[];
  /** Folders that no caller may name, such as the embedded store with all tenants' repositories. */
  blockedFileRoots?: readonly string[];
  allowLoopback: boolean;
  /** Allows `ssh://` for the same hosts as https. Default false. */
  allowSsh?: boolean;
  /** Names `host` or `host:port` for hosts that may also have private addresses or use plain http. */
  allowHosts: readonly string[];
}

/** A remote that the policy allows, with the git settings that pin it to the checked address. */
export interface ReachableRemote {
  readonly url: string;
  readonly protocol: "https" | "http" | "file" | "ssh";
  readonly settings: readonly string[];
  readonly ssh?: SshEndpoint;
}

/** The address that ssh connects to, and the name under which known_hosts lists the server's key. */
export interface SshEndpoint {
  readonly host: string;
  readonly port: string;
  /** The address that was checked. */
  readonly address: string;
  /** The URL's login name. */
  readonly username: string | undefined;
}

/** The policy refuses the remote. `message` may be shown to the caller; it continues a sentence. */
export class RemoteBlocked extends Error {
  override readonly name = "RemoteBlocked";
}

/** Why the policy refuses a URL, checked without DNS; undefined when it may be tried. */
export function remoteProblem(url: URL, policy: SourcePolicy): string | undefined {
  if (url.protocol === "file:") return fileProblem(url, policy);
  if (!["https:", "http:", "ssh:"].includes(url.protocol)) return `the scheme ${url.protocol} is not allowed`;
  const ssh = url.protocol === "ssh:" ? sshProblem(url, policy) : undefined;
  if (ssh !== undefined) return ssh;
  if (isAllowedHost(url, policy)) return undefined;
  const host = literalHost(url);
  if (isLoopbackName(host) || addressKind(host) === "loopback") {
    return policy.allowLoopback ? undefined : "the host is this machine, which is not allowed";
  }
  if (url.protocol === "http:") return "plain http is not allowed, use https";
  return isIP(host) !== 0 && addressKind(host) === "blocked" ? "the host is not a public address" : undefined;
}

/**
 * Resolves the host once and pins git to the checked addresses, so that DNS rebinding has no effect. Throws
 * RemoteBlocked.
 */
export async function reachRemote(
  text: string,
  policy: SourcePolicy,
  addressesOf: (host: string) => Promise<string[]> = hostAddresses,
): Promise<ReachableRemote> {
  const url = new URL(text);
  const problem = remoteProblem(url, policy);
  if (problem !== undefined) throw new RemoteBlocked(problem);
  if (url.protocol === "file:") return reachFolder(url, policy);
  const host = literalHost(url);
  // The pinned name has no final dot, and curl would look up a name with a dot again.
  if (url.hostname.endsWith(".")) url.hostname = host;
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  // An IP literal was checked above.
  const isUnjudged = isIP(host) === 0 && !isAllowedHost(url, policy);
  const isRefused = isUnjudged && addresses.some((address) => !mayConnect(address, url, policy));
  if (isRefused) throw new RemoteBlocked("the host has an address that is not public");
  if (url.protocol === "ssh:") return reachSsh(url, host, addresses);
  const protocol = url.protocol === "http:" ? "http" : "https";
  if (isIP(host) !== 0) return { url: url.href, protocol, settings: [] };
  const port = url.port === "" ? (protocol === "https" ? "443" : "80") : url.port;
  const pinnedAddresses = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address)).join(",");
  // Git before 2.37 ignores this setting and resolves the name again.
  return { url: url.href, protocol, settings: [`http.curloptResolve=${host}:${port}:${pinnedAddresses}`] };
}

function mayConnect(address: string, url: URL, policy: SourcePolicy): boolean {
  const kind = addressKind(address);
  if (kind === "loopback") return policy.allowLoopback;
  return kind === "public" && url.protocol !== "http:";
}

function sshProblem(url: URL, policy: SourcePolicy): string | undefined {
  if (policy.allowSsh !== true) return "ssh is not allowed";
  // The URL parser does not normalize hosts in this scheme, so a host may contain any character.
  if (!/^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i.test(url.hostname)) return "the host cannot be read";
  if (url.password !== "") return "it contains credentials";
  if (url.username !== "" && !isLoginName(url.username)) return "the login name cannot be read";
  return /%(?:[01][0-9a-f]|7f)/i.test(url.pathname) ? "the path contains a control character" : undefined;
}

/** Whether a text is safe before the `@` in an ssh address: it is not an option and has no shell characters. */
export function isLoginName(text: string): boolean {
  return /^\w[\w.-]{0,99}$/.test(text);
}

function reachSsh(url: URL, host: string, [address]: readonly string[]): ReachableRemote {
  if (address === undefined) throw new RemoteBlocked("the host name does not resolve");
  const [port, username] = [url.port === "" ? "22" : url.port, url.username === "" ? undefined : url.username];
  return { url: url.href, protocol: "ssh", settings: [], ssh: { host, port, address, username } };
}

const hosts = new HostLookup();

async function hostAddresses(host: string): Promise<string[]> {
  try {
    const records = await hosts.addressesOf(host);
    return records.map(({ address }) => address);
  } catch {
    throw new RemoteBlocked("the host name does not resolve");
  }
}

function fileProblem(url: URL, policy: SourcePolicy): string | undefined {
  if (!policy.allowFile) return "local repositories are not allowed here";
  const folder = localFolder(url);
  if (folder === undefined) return "the file URL does not name a local folder";
  return rootProblem(folder, policy);
}

function rootProblem(folder: string, policy: SourcePolicy): string | undefined {
  const inside = (root: string) => `${folder}${sep}`.startsWith(join(resolve(root), sep));
  if (policy.blockedFileRoots?.some(inside)) return "the folder belongs to the platform";
  if (policy.fileRoots.length > 0 && !policy.fileRoots.some(inside)) return "the folder is outside the allowed roots";
  return undefined;
}

function localFolder(url: URL): string | undefined {
  try {
    return url.host === "" ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves symbolic links before the roots are compared, so that no link leads out of them. */
async function reachFolder(url: URL, policy: SourcePolicy): Promise<ReachableRemote> {
  const real = await realFolder(fileURLToPath(url));
  const realPolicy = {
    ...policy,
    fileRoots: await Promise.all(policy.fileRoots.map(realFolder)),
    blockedFileRoots: await Promise.all((policy.blockedFileRoots ?? []).map(realFolder)),
  };
  const problem = rootProblem(real, realPolicy);
  if (problem !== undefined) throw new RemoteBlocked(problem);
  return { url: pathToFileURL(real).href, protocol: "file", settings: [] };
}

/** The real path. Git also tries the name with `.git` added. A missing folder keeps its name, and git reports it. */
async function realFolder(folder: string): Promise<string> {
  return (await tryRealpath(folder)) ?? (await tryRealpath(`${folder}.git`)) ?? folder;
}

async function tryRealpath(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch {
    return undefined;
  }
}

function literalHost(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
}

function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** Whether the operator has allowed this host with any address. */
export function isAllowedHost(url: URL, policy: SourcePolicy): boolean {
  const host = url.hostname.toLowerCase();
  return policy.allowHosts.map(asciiAuthority).some((entry) => entry === host || entry === `${host}:${url.port}`);
}
