import { DomainError } from "../errors/domain-error.js";
import type { RequestContext } from "../tenancy/request-context.js";
import { type EntityReference, valueFor } from "./entity-reference.js";
import { authorize } from "./guard.js";

/** An object that the caller may read. */
export interface FoundNode {
  readonly type: string;
  /** The field with the id. */
  readonly field: string;
  readonly object: object;
}

interface Candidate extends EntityReference {
  readonly type: string;
  readonly key: NonNullable<EntityReference["id"]>;
}

/** The entities of a subgraph, found by their ids alone. */
export class NodeTypes {
  readonly #candidates = new Map<string, Candidate[]>();

  add(references: Readonly<Record<string, EntityReference>>): void {
    for (const [type, reference] of Object.entries(references)) {
      const { id: key } = reference;
      if (!key) continue;
      const others = this.#candidates.get(key.prefix) ?? [];
      this.#candidates.set(key.prefix, [...others, { ...reference, type, key }]);
    }
  }

  /**
   * Undefined for an unknown id, for an object of another tenant, and for one that the caller may not read: the answer
   * tells nobody which of them it is. Throws UNAVAILABLE.
   */
  find(id: string, context: RequestContext): Promise<FoundNode | undefined> {
    return this.#first(id, (candidate) => allowed(() => readObject(candidate, id, context)));
  }

  /** Like `find`, but throws the refusal of a caller who may not read the object. */
  read(id: string, context: RequestContext): Promise<FoundNode | undefined> {
    return this.#first(id, (candidate) => readObject(candidate, id, context));
  }

  async #first(id: string, read: (candidate: Candidate) => ReadObject): Promise<FoundNode | undefined> {
    for (const candidate of this.#candidates.get(id.slice(0, id.indexOf("_"))) ?? []) {
      const object = await read(candidate);
      if (object) return { type: candidate.type, field: candidate.key.field, object };
    }
    return undefined;
  }
}

type ReadObject = Promise<object | null | undefined>;

async function readObject({ auth, key, resolve }: Candidate, id: string, context: RequestContext): ReadObject {
  authorize(auth, context);
  const value = valueFor(key, id, context);
  return value === undefined ? undefined : resolve({ [key.field]: value }, context);
}

/** Undefined where the caller is refused, which an outage does not mean. */
async function allowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DomainError && error.code !== "UNAVAILABLE") return undefined;
    throw error;
  }
}
