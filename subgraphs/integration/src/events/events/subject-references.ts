import type { NodeTypes } from "@factory/runtime/graphql/node-types";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type IdPrefix } from "@factory/schema/id-prefixes";
import { foreignSubjects } from "./event-subject.type.js";

/** The prefixes of this subgraph's own subjects. */
const ownSubjects: ReadonlySet<string> = new Set<IdPrefix>(["prv", "con", "crd", "run", "whd", "whs"]);

/**
 * Resolves an event's subject `<resource>/<id>`: a reference for types in other subgraphs, the object for types in this
 * one.
 */
export class SubjectReferences {
  readonly #ownTypes: NodeTypes;

  constructor(ownTypes: NodeTypes) {
    this.#ownTypes = ownTypes;
  }

  /**
   * Null when the subject has no type with a key, or no longer exists. In a path, the last resource with a key is used.
   * Throws INSUFFICIENT_SCOPE for an object of this subgraph.
   */
  async resolve(subjectPath: string, context: RequestContext): Promise<object | null> {
    const segments = subjectPath.split("/");
    for (const [at, id] of [...segments.entries()].reverse()) {
      const prefix = id.slice(0, 3) as IdPrefix;
      if (decodeId(prefix, id) === undefined) continue;
      const reference = foreignReference(segments[at - 1] ?? "", id) ?? foreignReference(prefix, id);
      if (reference) return reference;
      if (!ownSubjects.has(prefix)) continue;
      const node = await this.#ownTypes.read(id, context);
      return node ? { ...node.object, __typename: node.type } : null;
    }
    return null;
  }
}

function foreignReference(name: string, id: string): object | undefined {
  if (!Object.hasOwn(foreignSubjects, name)) return undefined;
  const [type, key] = foreignSubjects[name as keyof typeof foreignSubjects];
  return { __typename: type, [key]: id };
}
