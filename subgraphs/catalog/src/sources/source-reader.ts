import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { FileTree } from "../engine/file-tree.js";
import { fetchSource } from "./fetch-source.js";
import { resolveSource } from "./resolve-source.js";
import { parseSourceRef, type SourcePolicy, type SourceRef } from "./source-ref.js";

export interface ReadSource {
  readonly files: FileTree;
  /** `sha256:<hex>` over modes, paths and contents. */
  readonly contentDigest: string;
  readonly commit: string;
  /** The reference pinned to that commit. */
  readonly resolvedRef: string;
}

/** Template sources under one policy. A version is always read at its pinned commit, never at the moving reference. */
export class SourceReader {
  readonly #policy: SourcePolicy;
  readonly #logger: Logger;

  constructor(policy: SourcePolicy, logger: Logger) {
    this.#policy = policy;
    this.#logger = logger;
  }

  /** Refuses a dangerous reference; any other that cannot be resolved in time stays unresolved. */
  async tryResolve(sourceRef: string, timeoutMs: number): Promise<{ resolvedRef: string } | undefined> {
    const parsed = parseSourceRef(sourceRef, this.#policy);
    if ("dangerous" in parsed)
      throw new DomainError("SOURCE_REF_INVALID", {
        detail: parsed.dangerous,
        errors: [{ pointer: "/sourceRef", code: "FORMAT", detail: parsed.dangerous }],
      });
    if ("unsupported" in parsed) return undefined;
    try {
      return await resolveSource(parsed.ref, this.#policy, { timeoutMs });
    } catch (error) {
      this.#logger.debug({ err: error }, "source not resolved at creation");
      return undefined;
    }
  }

  async read(reference: string, options: { timeoutMs: number; signal?: AbortSignal }): Promise<ReadSource> {
    const parsed = parseSourceRef(reference, this.#policy);
    if (!("ref" in parsed)) {
      const detail = "dangerous" in parsed ? parsed.dangerous : parsed.unsupported;
      throw new DomainError("SOURCE_UNAVAILABLE", { detail });
    }
    if (isPinned(parsed.ref))
      return { ...(await fetchSource(parsed.ref, this.#policy, options)), resolvedRef: reference };
    const { resolvedRef } = await resolveSource(parsed.ref, this.#policy, options);
    const pinned = parseSourceRef(resolvedRef, this.#policy);
    if (!("ref" in pinned)) throw new Error(`A resolved reference does not parse: ${resolvedRef}`);
    return { ...(await fetchSource(pinned.ref, this.#policy, options)), resolvedRef };
  }
}

/** A full commit id names the same content for ever. */
function isPinned(ref: SourceRef): boolean {
  return ref.kind === "git" && ref.ref !== null && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref.ref);
}
