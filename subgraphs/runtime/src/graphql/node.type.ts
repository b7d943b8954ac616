import { Directive, Field, ID, InterfaceType } from "type-graphql";

interface TypeNamed {
  readonly __typename: string;
}

/** The interface does not register its types: a process has the classes of several subgraphs in memory. */
@InterfaceType("Node", {
  description: "An object with an id, by which the queries `node` and `nodes` find it again.",
  autoRegisterImplementations: false,
  resolveType: ({ __typename }: TypeNamed) => __typename,
})
export abstract class NodeType {
  @Field(() => ID, { description: "Unique in the platform. It never changes." })
  id: string;
}

/**
 * Shows the property with the id also as `id`, which GraphQL clients take as an object's identity. Both are keys in the
 * federated graph. `resolvable: false` marks a type whose fields another subgraph owns.
 */
export function NodeKey(property: string, { resolvable = true } = {}): ClassDecorator {
  return (target) => {
    Field(() => ID, {
      name: "id",
      simple: false,
      description: `The value of \`${property}\`, by which clients' caches know the object.`,
    })(target.prototype as object, property);
    for (const key of ["id", property])
      Directive(`@key(fields: "${key}"${resolvable ? "" : ", resolvable: false"})`)(target);
  };
}
