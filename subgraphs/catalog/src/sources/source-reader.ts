import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FileTree } from "../engine/file-tree.js";
import type { RemoteCredential } from "../git/remote-credential.js";
import { isCommitId } from "../git/ref-name.js";
import { fetchSource } from "./fetch-source.js";
import { PackageReader } from "./package-reader.js";
import { resolveSource } from "./resolve-source.js";
import { type GitSourceRef, parseSourceRef, type SourcePolicy, type SourceRef } from "./source-ref.js";
import type { SourceOptions } from "./source-workspace.js";

export interface ReadSource {
  readonly files: FileTree;
  /** `sha256:<hex>` over modes, paths and contents. */
  readonly contentDigest: string;
  /** The reference pinned to the commit or the sha256 that was read. */
  readonly resolvedRef: string;
}

/** Template sources under one policy. A version is always read as it was pinned, never at the moving reference. */
export class SourceReader {
  readonly #policy: SourcePolicy;
  readonly #packages: PackageReader;
  readonly #logger: Logger;

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
    if ("dangerous" in parsed)
      throw new DomainError("SOURCE_REF_INVALID", {
        detail: parsed.dangerous,
        errors: [{ pointer: "/sourceRef", code: "FORMAT", detail: parsed.dangerous }],
      });
    if ("unsupported" in parsed) return undefined;
    try {
      return await this.#resolve(parsed.ref, { timeoutMs, ...(credential && { credential }) });
    } catch (error) {
      this.#logger.debug({ err: error }, "source not resolved at creation");
      return undefined;
    }
  }

  async read(reference: string, options: SourceOptions): Promise<ReadSource> {
    const ref = this.#parse(reference);
    // one download serves to pin a package and to read it
    if (ref.kind === "package") return this.#packages.read(ref, options);
    if (isPinned(ref)) return { ...(await fetchSource(ref, this.#policy, options)), resolvedRef: reference };
    const { resolvedRef } = await resolveSource(ref, this.#policy, options);
    return this.read(resolvedRef, options);
  }

  close(): Promise<void> {
    return this.#packages.close();
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

/** A full commit id names the same content for ever. */
function isPinned({ ref }: GitSourceRef): boolean {
  return ref !== null && isCommitId(ref);
}
