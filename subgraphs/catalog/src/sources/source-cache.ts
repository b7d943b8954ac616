import { createHash } from "node:crypto";
import type { FileTree } from "@factory/template-engine/file-tree";
import type { RemoteCredential } from "../git/remote-credential.js";

export interface ReadSource {
  readonly files: FileTree;
  /** `sha256:<hex>` over modes, paths and contents. */
  readonly contentDigest: string;
  /** The reference pinned to the commit or the sha256 that was read. */
  readonly resolvedRef: string;
}

interface CacheLimits {
  readonly maxBytes: number;
  /** Larger sources are not kept. */
  readonly maxEntryBytes: number;
  /** Whoever lost access to a source stops reading it after this time. */
  readonly maxAgeMs: number;
}

interface Entry {
  readonly source: ReadSource;
  readonly bytes: number;
  readonly readAt: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: CacheLimits = { maxBytes: 64 * mebibyte, maxEntryBytes: 16 * mebibyte, maxAgeMs: 3_600_000 };
const fileOverheadBytes = 256;

/** Who reads what: content that one tenant or one credential reached is never found by another. */
export function sourceCacheKey(tenantId: string, pinnedRef: string, credential: RemoteCredential | undefined): string {
  return createHash("sha256")
    .update(JSON.stringify([tenantId, pinnedRef, identityOf(credential)]))
    .digest("hex");
}

function identityOf(credential: RemoteCredential | undefined): readonly (string | undefined)[] {
  if (credential === undefined) return [];
  const { kind, username } = credential;
  return kind === "login"
    ? [kind, username, credential.password]
    : [kind, username, credential.privateKey, credential.knownHosts];
}

/** Pinned sources in memory; the least recently used go first. */
export class SourceCache {
  readonly #limits: CacheLimits;
  // a map keeps the order of insertion, so the first key is the one unused for longest
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(limits: Partial<CacheLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  get(key: string): ReadSource | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#remove(key, entry);
    if (Date.now() - entry.readAt > this.#limits.maxAgeMs) return undefined;
    this.#add(key, entry);
    return copyOf(entry.source);
  }

  put(key: string, source: ReadSource): void {
    const bytes = sizeOf(source.files);
    const earlier = this.#entries.get(key);
    if (earlier !== undefined) this.#remove(key, earlier);
    if (bytes > this.#limits.maxEntryBytes) return;
    this.#add(key, { source: copyOf(source), bytes, readAt: Date.now() });
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#limits.maxBytes) return;
      this.#remove(oldest, entry);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

/** Own bytes: files may be views of a whole package, and what a reader does to its copy stays with it. */
function copyOf(source: ReadSource): ReadSource {
  const files = [...source.files].map(
    ([path, { bytes, executable }]) => [path, { bytes: new Uint8Array(bytes), executable }] as const,
  );
  return { ...source, files: new Map(files) };
}

function sizeOf(files: FileTree): number {
  let size = 0;
  for (const [path, { bytes }] of files) size += bytes.length + 2 * path.length + fileOverheadBytes;
  return size;
}
