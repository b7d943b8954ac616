import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { isCommitId } from "../git/ref-name.js";
import type { RemoteCredential } from "../git/remote-credential.js";
import { type PackageListing, PackageReader } from "./packages/package-reader.js";
import type { SourceOptions } from "./references/source-options.js";
import { formatSourceRef, parseSourceRef, type SourcePolicy, type SourceRef } from "./references/source-ref.js";
import { fetchSource } from "./repositories/fetch-source.js";
import { resolveSource } from "./repositories/resolve-source.js";
import { type ReadSource, SourceCache, sourceCacheKey } from "./source-cache.js";

export type { PackageListing } from "./packages/package-reader.js";
export type { ReadSource } from "./source-cache.js";

interface ReadOptions extends SourceOptions {
  /** Lets what was read be kept in memory for this tenant's next reading of the same pinned reference. */
  tenantId?: string;
}

/** Template sources under one policy. A version is always read as it was pinned, never at the moving reference. */
export class SourceReader {
  readonly #policy: SourcePolicy;
  readonly #packages: PackageReader;
  readonly #logger: Logger;
  readonly #cache = new SourceCache();

  constructor(options: { policy: SourcePolicy; nugetFeeds: readonly string[]; logger: Logger }) {
    this.#policy = options.policy;
    this.#packages = new PackageReader(options.policy, options.nugetFeeds);
    this.#logger = options.logger;
  }

  /** Refuses a dangerous reference; any other that cannot be resolved in time stays unresolved. */
  async tryResolve(
    sourceRef: string,
    timeoutMs: number,
    credential?: RemoteCredential,
  ): Promise<{ resolvedRef: string } | undefined> {
    const parsed = parseSourceRef(sourceRef, this.#policy);
    if ("dangerous" in parsed) throw refused(parsed.dangerous);
    if ("unsupported" in parsed) return undefined;
    try {
      return await this.#resolve(parsed.ref, { timeoutMs, ...(credential && { credential }) });
    } catch (error) {
      this.#logger.debug({ err: error }, "source not resolved at creation");
      return undefined;
    }
  }

  async read(reference: string, options: ReadOptions): Promise<ReadSource> {
    const ref = this.#parse(reference);
    const { tenantId, credential } = options;
    if (tenantId === undefined) return this.#fetch(ref, options);
    // a moving reference is asked for each time; what it gave is kept under its pinned name
    const key = (pinnedRef: string) => sourceCacheKey(tenantId, pinnedRef, credential);
    const kept = isPinned(ref) ? this.#cache.get(key(formatSourceRef(ref))) : undefined;
    if (kept !== undefined) return kept;
    const source = await this.#fetch(ref, options);
    this.#cache.put(key(source.resolvedRef), source);
    return source;
  }

  /** What a package holds; nothing of it is kept in memory. Refuses at once what is no package. */
  async listPackage(
    reference: string,
    wanted: { isWanted(path: string): boolean; maxBytes: number },
    options: SourceOptions,
  ): Promise<PackageListing> {
    const parsed = parseSourceRef(reference, this.#policy);
    if ("dangerous" in parsed) throw refused(parsed.dangerous);
    if ("unsupported" in parsed) throw refused(parsed.unsupported);
    if (parsed.ref.kind !== "package") throw refused("only nupkg+https: and nuget: name a package");
    if (parsed.ref.path !== "") throw refused("a library is the whole package, not a folder of it");
    return this.#packages.list(parsed.ref, wanted, options);
  }

  close(): Promise<void> {
    return this.#packages.close();
  }

  async #fetch(ref: SourceRef, options: SourceOptions): Promise<ReadSource> {
    // one download serves to pin a package and to read it
    if (ref.kind === "package") return this.#packages.read(ref, options);
    const commit = isPinned(ref) ? ref.ref : (await resolveSource(ref, this.#policy, options)).commit;
    const pinned = { ...ref, ref: commit };
    return { ...(await fetchSource(pinned, this.#policy, options)), resolvedRef: formatSourceRef(pinned) };
  }

  #resolve(ref: SourceRef, options: SourceOptions): Promise<{ resolvedRef: string }> {
    return ref.kind === "package" ? this.#packages.resolve(ref, options) : resolveSource(ref, this.#policy, options);
  }

  #parse(reference: string): SourceRef {
    const parsed = parseSourceRef(reference, this.#policy);
    if ("ref" in parsed) return parsed.ref;
    const detail = "dangerous" in parsed ? parsed.dangerous : parsed.unsupported;
    throw new DomainError("SOURCE_UNAVAILABLE", { detail });
  }
}

function refused(detail: string): DomainError {
  return new DomainError("SOURCE_REF_INVALID", {
    detail,
    errors: [{ pointer: "/sourceRef", code: "FORMAT", detail }],
  });
}

/** A full commit id, as the sha256 of a package, names the same content for ever. */
function isPinned(ref: SourceRef): boolean {
  return ref.kind === "package" ? ref.sha256 !== null : ref.ref !== null && isCommitId(ref.ref);
}
