import type { IdPrefix } from "@factory/schema/id-prefixes";
import { DomainError } from "../errors/domain-error.js";
import { decodeId } from "../identifiers/wire-id.js";
import type { RequestContext } from "../tenancy/request-context.js";
import type { EntityReference } from "./entity-reference.js";
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
  readonly field: string;
}

/** The entities of a subgraph, found by their ids alone. */
export class NodeTypes {
  readonly #candidates = new Map<string, Candidate[]>();

  add(references: Readonly<Record<string, EntityReference>>): void {
    for (const [type, reference] of Object.entries(references)) {
      if (!reference.id) continue;
      const { prefix, field } = reference.id;
      this.#candidates.set(prefix, [...(this.#candidates.get(prefix) ?? []), { ...reference, type, field }]);
    }
  }

  /**
   * Undefined for an unknown id, for an object of another tenant, and for one that the caller may not read: the answer
   * tells nobody which of them it is. Throws UNAVAILABLE.
   */
  async find(id: string, context: RequestContext): Promise<FoundNode | undefined> {
    const prefix = id.slice(0, id.indexOf("_")) as IdPrefix;
    for (const { type, field, auth, resolve } of this.#candidates.get(prefix) ?? []) {
      if (decodeId(prefix, id) === undefined) return undefined;
      const object = await allowed(async () => {
        authorize(auth, context);
        return resolve({ [field]: id }, context);
      });
      if (object) return { type, field, object };
    }
    return undefined;
  }
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
