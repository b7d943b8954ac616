import { createHash } from "node:crypto";

/** The limits for tool names that models accept: at most 64 characters, each A-Z, a-z, 0-9, _ or -. */
const maxServerLength = 24;
const maxToolLength = 38;
const hashLength = 10;

const plain = /^[A-Za-z0-9_-]+$/;
const separator = "__";

/**
 * The part in a qualified name that stands for the tool. A name that is too long, or has other characters, gets a
 * suffix from its hash, so that two names never become one by being shortened or cleaned.
 */
export function toolPart(name: string): string {
  if (plain.test(name) && name.length <= maxToolLength) return name;
  const cleanName = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, maxToolLength - hashLength - 1);
  return `${cleanName}_${hashOf(name)}`;
}

/** A connection to a tool server, as its name is made. */
interface NamedConnection {
  readonly connectionId: string;
  readonly displayName: string;
}

/**
 * The server's part for each connection. Connections come oldest first, and the oldest one keeps a name that several
 * would have, so that a new server cannot take over another one's names.
 */
export function serverParts(connections: readonly NamedConnection[]): ReadonlyMap<string, string> {
  const takenParts = new Set<string>();
  return new Map(
    connections.map(({ connectionId, displayName }) => {
      const part = serverPart(displayName);
      const ownPart = takenParts.has(part)
        ? `${part.slice(0, maxServerLength - hashLength - 1)}-${hashOf(connectionId)}`
        : part;
      takenParts.add(ownPart);
      return [connectionId, ownPart];
    }),
  );
}

/** Without two underscores in a row or at its end, so that a qualified name's first separator ends it. */
function serverPart(displayName: string): string {
  const cleanName = displayName
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, maxServerLength)
    .replace(/-$/, "")
    .toLowerCase();
  return cleanName === "" ? "server" : cleanName;
}

export const qualifiedName = (server: string, tool: string): string => `${server}${separator}${tool}`;

/** A qualified name's parts; undefined for another name. */
export function namePartsOf(name: string): { readonly server: string; readonly tool: string } | undefined {
  const at = name.indexOf(separator);
  return at > 0 ? { server: name.slice(0, at), tool: name.slice(at + separator.length) } : undefined;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, hashLength);
