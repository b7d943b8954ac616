import type { DocumentNode } from "graphql";
import { LRUCache } from "lru-cache";
import type { CompiledOperation } from "../execution/compiled-operation.js";

interface CacheLimits {
  readonly documents: number;
  readonly bytes: number;
  /** The share in `documents` and in `bytes` that one owner may use, between 0 and 1. */
  readonly ownerShare: number;
}

interface KnownDocument<C> {
  /** The tenant, client or address that sent the document first. */
  readonly owner: string;
  readonly document: DocumentNode;
  readonly operations: Map<string, CompiledOperation<C>>;
  bytes: number;
}

interface Holding {
  documents: number;
  bytes: number;
}

const standardLimits: CacheLimits = { documents: 1000, bytes: 32 * 1024 * 1024, ownerShare: 0.5 };

/**
 * The cache for ad-hoc documents. A document's syntax tree, plans and compiled operations are evicted together. The
 * least recently used document is evicted first. An owner over its share loses its own documents, never another
 * owner's.
 */
export class OperationCache<C> {
  readonly #limits: CacheLimits;
  /** Keyed by the text's digest. */
  readonly #known: LRUCache<string, KnownDocument<C>>;
  readonly #holdings = new Map<string, Holding>();

  constructor(limits: Partial<CacheLimits> = {}) {
    this.#limits = { ...standardLimits, ...limits };
    this.#known = new LRUCache({
      max: this.#limits.documents,
      maxSize: this.#limits.bytes,
      sizeCalculation: ({ bytes }) => bytes,
      dispose: (entry) => this.#count(entry, -1),
    });
  }

  get held(): Readonly<Holding> {
    return { documents: this.#known.size, bytes: this.#known.calculatedSize };
  }

  /** Returns a cached document's syntax tree, and marks the document as used. */
  document(digest: string): DocumentNode | undefined {
    return this.#known.get(digest)?.document;
  }

  operation(digest: string, name: string): CompiledOperation<C> | undefined {
    return this.#known.peek(digest)?.operations.get(name);
  }

  /**
   * Caches an operation with its document. `bytes` is the operation's memory. A document that is larger than one
   * owner's share is not cached.
   */
  keep(
    digest: string,
    { owner, document, name, bytes }: { owner: string; document: DocumentNode; name: string; bytes: number },
    operation: CompiledOperation<C>,
  ): void {
    const entry = this.#known.peek(digest) ?? { owner, document, operations: new Map(), bytes: 0 };
    this.#known.delete(digest);
    entry.operations.set(name, operation);
    entry.bytes += bytes;
    if (entry.bytes > this.#limits.bytes * this.#limits.ownerShare) return;
    this.#makeRoom(entry);
    this.#count(entry, 1);
    this.#known.set(digest, entry);
  }

  /** Evicts this owner's documents until the new document fits into the owner's share. */
  #makeRoom({ owner, bytes }: KnownDocument<C>): void {
    const { documents, bytes: allBytes, ownerShare } = this.#limits;
    const isOver = () => {
      const holding = this.#holdings.get(owner);
      return (
        holding && (holding.documents + 1 > documents * ownerShare || holding.bytes + bytes > allBytes * ownerShare)
      );
    };
    if (!isOver()) return;
    for (const digest of [...this.#known.rkeys()])
      if (this.#known.peek(digest)?.owner === owner && isOver()) this.#known.delete(digest);
  }

  #count({ owner, bytes }: KnownDocument<C>, sign: 1 | -1): void {
    const holding = this.#holdings.get(owner) ?? { documents: 0, bytes: 0 };
    holding.documents += sign;
    holding.bytes += sign * bytes;
    if (holding.documents === 0) this.#holdings.delete(owner);
    else this.#holdings.set(owner, holding);
  }
}
