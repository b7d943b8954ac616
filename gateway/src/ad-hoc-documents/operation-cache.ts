import type { DocumentNode } from "graphql";
import type { CompiledOperation } from "../execution/compiled-operation.js";

export interface CacheLimits {
  readonly documents: number;
  readonly bytes: number;
  /** The part of both that documents of one owner may take. */
  readonly ownerShare: number;
}

interface KnownDocument<C> {
  /** Who sent it first. */
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
 * What is kept of ad-hoc documents: syntax tree, plans and compiled operations live and go together, those used longest
 * ago first. An owner over its share loses its own documents, never those of others.
 */
export class OperationCache<C> {
  readonly #limits: CacheLimits;
  /** By digest of the text, those used longest ago first. */
  readonly #known = new Map<string, KnownDocument<C>>();
  readonly #held = new Map<string, Holding>();
  readonly #all: Holding = { documents: 0, bytes: 0 };

  constructor(limits: Partial<CacheLimits> = {}) {
    this.#limits = { ...standardLimits, ...limits };
  }

  get held(): Readonly<Holding> {
    return this.#all;
  }

  document(digest: string): DocumentNode | undefined {
    const known = this.#known.get(digest);
    if (!known) return undefined;
    this.#known.delete(digest);
    this.#known.set(digest, known);
    return known.document;
  }

  operation(digest: string, name: string): CompiledOperation<C> | undefined {
    return this.#known.get(digest)?.operations.get(name);
  }

  keep(
    digest: string,
    { owner, document, name, bytes }: { owner: string; document: DocumentNode; name: string; bytes: number },
    operation: CompiledOperation<C>,
  ): void {
    const known = this.#known.get(digest) ?? { owner, document, operations: new Map(), bytes: 0 };
    this.#forget(digest);
    known.operations.set(name, operation);
    known.bytes += bytes;
    this.#known.set(digest, known);
    this.#count(known, 1);
    this.#makeRoom(known.owner);
  }

  #makeRoom(owner: string): void {
    const { documents, bytes, ownerShare } = this.#limits;
    const isOver = (holding: Holding | undefined, share: number) =>
      holding !== undefined && (holding.documents > documents * share || holding.bytes > bytes * share);
    for (const [digest, known] of this.#known) {
      const ownOver = isOver(this.#held.get(owner), ownerShare);
      if (!ownOver && !isOver(this.#all, 1)) return;
      if (!ownOver || known.owner === owner) this.#forget(digest);
    }
  }

  #forget(digest: string): void {
    const known = this.#known.get(digest);
    if (!known) return;
    this.#known.delete(digest);
    this.#count(known, -1);
  }

  #count({ owner, bytes }: KnownDocument<C>, sign: 1 | -1): void {
    const own = this.#held.get(owner) ?? { documents: 0, bytes: 0 };
    for (const holding of [own, this.#all]) {
      holding.documents += sign;
      holding.bytes += sign * bytes;
    }
    if (own.documents === 0) this.#held.delete(owner);
    else this.#held.set(owner, own);
  }
}
