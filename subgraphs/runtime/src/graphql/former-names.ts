import { type GraphQLSchema, isObjectType } from "graphql";

/** A renamed field, such as `Mutation.setConfigEntry`, and its former name. */
export type FormerNames = Readonly<Record<`${string}.${string}`, string>>;

/** Keeps the former name of each renamed field, deprecated, with the same arguments and the same resolver. */
export function addFormerNames(schema: GraphQLSchema, formerNames: FormerNames): void {
  for (const [place, formerName] of Object.entries(formerNames)) {
    const [typeName = "", name = ""] = place.split(".");
    const type = schema.getType(typeName);
    const fields = isObjectType(type) ? type.getFields() : {};
    const field = fields[name];
    if (!field || fields[formerName]) throw new Error(`The field ${place} cannot have the former name ${formerName}.`);
    fields[formerName] = {
      ...field,
      name: formerName,
      description: `As \`${name}\`.`,
      deprecationReason: `Use \`${name}\`.`,
    };
  }
}
