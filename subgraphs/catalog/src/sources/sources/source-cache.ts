import { createHash } from "node:crypto";
import type { FileTree } from "@factory/template-engine/file-tree";
import { LRUCache } from "lru-cache";
import type { RemoteCredential } from "../../git/git/remote-credential.js";

/** A source in memory. */
export interface ReadSource {
  readonly files: FileTree;
  /** `sha256:<hex>` over modes, paths and file contents. */
  readonly contentDigest: string;
  /** The reference pinned to the commit or the SHA-256 that was read. */
  readonly resolvedRef: string;
}

interface CacheLimits {
  readonly maxBytes: number;
  /** Larger sources are not cached. */
  readonly maxEntryBytes: number;
  /** A caller who lost access to a source can read it from the cache no longer than this. */
  readonly maxAgeMs: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: CacheLimits = { maxBytes: 64 * mebibyte, maxEntryBytes: 16 * mebibyte, maxAgeMs: 3_600_000 };
const fileOverheadBytes = 256;

/** A source's key in the cache. It includes tenant and credential, so that no other tenant or credential finds it. */
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

/** Pinned sources in memory. The least recently used ones are dropped first. */
export class SourceCache {
  readonly #sources: LRUCache<string, ReadSource>;

  constructor(limits: Partial<CacheLimits> = {}) {
    const { maxBytes, maxEntryBytes, maxAgeMs } = { ...defaultLimits, ...limits };
    this.#sources = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxEntryBytes,
      ttl: maxAgeMs,
      sizeCalculation: ({ files }) => sizeOf(files),
    });
  }

  /** A copy, so that the reader may change it. */
  get(key: string): ReadSource | undefined {
    const source = this.#sources.get(key);
    return source && copyOf(source);
  }

  put(key: string, source: ReadSource): void {
    // A source that is too large is not copied. It still replaces an older one with its key.
    if (sizeOf(source.files) > this.#sources.maxEntrySize) this.#sources.delete(key);
    else this.#sources.set(key, copyOf(source));
  }
}

/** A deep copy: files may be views into a whole package, and a reader may change its files. */
function copyOf(source: ReadSource): ReadSource {
  const files = [...source.files].map(
    ([path, { bytes, executable }]) => [path, { bytes: new Uint8Array(bytes), executable }] as const,
  );
  return { ...source, files: new Map(files) };
}

function sizeOf(files: FileTree): number {
  // The cache takes no entry with size 0.
  let size = 1;
  for (const [path, { bytes }] of files) size += bytes.length + 2 * path.length + fileOverheadBytes;
  return size;
}
