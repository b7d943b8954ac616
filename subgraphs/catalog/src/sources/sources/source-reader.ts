import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { isCommitId } from "../../git/git/ref-name.js";
import type { RemoteCredential } from "../../git/git/remote-credential.js";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { type PackageListing, PackageReader } from "./packages/package-reader.js";
import type { SourceOptions } from "./references/source-options.js";
import { formatSourceRef, parseSourceRef, type SourcePolicy, type SourceRef } from "./references/source-ref.js";
import { fetchSource } from "./repositories/fetch-source.js";
import { resolveSource } from "./repositories/resolve-source.js";
import { type ReadSource, SourceCache, sourceCacheKey } from "./source-cache.js";

export type { PackageListing } from "./packages/package-reader.js";
export type { ReadSource } from "./source-cache.js";

/** A pinned reference, with its content where there was time to read it. */
export interface PinnedSource {
  readonly resolvedRef: string;
  readonly source?: ReadSource;
}

interface ReadOptions extends SourceOptions {
  /** Allows to cache the source in memory for this tenant's next read of the same pinned reference. */
  tenantId?: string;
}

/** Resolves and reads template sources under one policy. Throws errors with codes SOURCE_…. */
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

  /**
   * Pins a reference. Throws SOURCE_REF_INVALID for a dangerous one; undefined for one that cannot be resolved in time.
   */
  async tryResolve(
    sourceRef: string,
    timeoutMs: number,
    credential?: RemoteCredential,
  ): Promise<{ resolvedRef: string } | undefined> {
    const parseResult = parseSourceRef(sourceRef, this.#policy);
    if ("dangerous" in parseResult) throw refused(parseResult.dangerous);
    if ("unsupported" in parseResult) return undefined;
    try {
      return await this.#resolve(parseResult.ref, { timeoutMs, ...(credential && { credential }) });
    } catch (error) {
      this.#logger.debug({ err: error }, "the source of a new template version could not be resolved");
      return undefined;
    }
  }

  /**
   * Pins a reference and reads its files within the time. Throws SOURCE_REF_INVALID for a dangerous one; undefined for
   * one that cannot be resolved in time.
   */
  async tryRead(sourceRef: string, options: ReadOptions): Promise<PinnedSource | undefined> {
    const endsAt = performance.now() + options.timeoutMs;
    const timeLeft = () => Math.max(1, Math.ceil(endsAt - performance.now()));
    const resolve = () => this.tryResolve(sourceRef, timeLeft(), options.credential);
    const parseResult = parseSourceRef(sourceRef, this.#policy);
    // One download both pins and reads a package.
    const pinnedCommit = "ref" in parseResult && parseResult.ref.kind === "package" ? undefined : await resolve();
    if (!("ref" in parseResult) || (pinnedCommit === undefined && parseResult.ref.kind === "git")) return undefined;
    try {
      const timeoutMs = timeLeft();
      // The time limit of the options counts for each step.
      const signal = AbortSignal.timeout(timeoutMs);
      // The cache is for repeated reads: a first use must find out that a package has changed.
      const reference = this.#parse(pinnedCommit?.resolvedRef ?? sourceRef);
      const source = await this.#fetch(reference, { ...options, timeoutMs, signal });
      return { resolvedRef: source.resolvedRef, source };
    } catch (error) {
      this.#logger.debug({ err: error }, "the source of a template version could not be read in time");
      return pinnedCommit ?? resolve();
    }
  }

  /** Reads a source's files, from the cache when the reference is pinned and was read before. */
  async read(reference: string, options: ReadOptions): Promise<ReadSource> {
    const ref = this.#parse(reference);
    const { tenantId, credential } = options;
    if (tenantId === undefined) return this.#fetch(ref, options);
    // A reference that is not pinned is resolved each time. Its content is cached under the pinned reference.
    const key = (pinnedRef: string) => sourceCacheKey(tenantId, pinnedRef, credential);
    const cachedSource = isPinned(ref) ? this.#cache.get(key(formatSourceRef(ref))) : undefined;
    if (cachedSource !== undefined) return cachedSource;
    const source = await this.#fetch(ref, options);
    this.#cache.put(key(source.resolvedRef), source);
    return source;
  }

  /** Lists a package without caching it. Throws SOURCE_REF_INVALID for a reference to anything else. */
  async listPackage(
    reference: string,
    fileChoice: { isWanted(path: string): boolean; maxBytes: number },
    options: SourceOptions,
  ): Promise<PackageListing> {
    const parseResult = parseSourceRef(reference, this.#policy);
    if ("dangerous" in parseResult) throw refused(parseResult.dangerous);
    if ("unsupported" in parseResult) throw refused(parseResult.unsupported);
    if (parseResult.ref.kind !== "package") throw refused("it does not name a package. Use nupkg+https: or nuget:");
    if (parseResult.ref.path !== "")
      throw refused("it names a folder of the package, but a library is the whole package. Leave the folder out");
    return this.#packages.list(parseResult.ref, fileChoice, options);
  }

  close(): Promise<void> {
    return this.#packages.close();
  }

  async #fetch(ref: SourceRef, options: SourceOptions): Promise<ReadSource> {
    // One download both pins and reads a package.
    if (ref.kind === "package") return this.#packages.read(ref, options);
    const commit = isPinned(ref) ? ref.ref : (await resolveSource(ref, this.#policy, options)).commit;
    const pinnedRef = { ...ref, ref: commit };
    return { ...(await fetchSource(pinnedRef, this.#policy, options)), resolvedRef: formatSourceRef(pinnedRef) };
  }

  #resolve(ref: SourceRef, options: SourceOptions): Promise<{ resolvedRef: string }> {
    return ref.kind === "package" ? this.#packages.resolve(ref, options) : resolveSource(ref, this.#policy, options);
  }

  #parse(reference: string): SourceRef {
    const parseResult = parseSourceRef(reference, this.#policy);
    if ("ref" in parseResult) return parseResult.ref;
    const detail = "dangerous" in parseResult ? parseResult.dangerous : parseResult.unsupported;
    throw new DomainError("SOURCE_UNAVAILABLE", { detail: `The sourceRef cannot be used: ${detail}.` });
  }
}

function refused(problem: string): DomainError {
  const detail = `The sourceRef is not valid: ${problem}.`;
  return inputProblem("SOURCE_REF_INVALID", { pointer: "/sourceRef", code: "FORMAT", detail });
}

/** A full commit id, like a package's SHA-256, always names the same content. */
function isPinned(ref: SourceRef): boolean {
  return ref.kind === "package" ? ref.sha256 !== null : ref.ref !== null && isCommitId(ref.ref);
}
