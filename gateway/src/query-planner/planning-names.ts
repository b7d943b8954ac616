import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  visit,
} from "graphql";

/** A document with the names for the planner, and the mapping back to the client's names. */
export interface PlannedNames {
  /** The document that the planner receives. */
  readonly document: DocumentNode;
  /** A field's key in the gathered data. */
  readonly keyOf: (field: FieldNode) => string;
  /** Key in the gathered data -> the client's response key. Error paths use this mapping. */
  readonly clientKeys: ReadonlyMap<string, string>;
}

/** Returns all field names that a representation may need. */
export function fieldNames(schema: GraphQLSchema): ReadonlySet<string> {
  const names = new Set(["__typename"]);
  for (const type of Object.values(schema.getTypeMap())) {
    if ((isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith("__")) {
      for (const name of Object.keys(type.getFields())) {
        names.add(name);
      }
    }
  }
  return names;
}

/**
 * Renames every alias that equals a field name. The planner (2.14.4) gathers keys and @requires inputs under their
 * field names. Without the renaming, `price: name` would send the name as the price, and `id: name` would return the
 * id.
 */
export function planningNames(
  document: DocumentNode,
  names: ReadonlySet<string>,
  inputFields: ReadonlyMap<string, string>,
): PlannedNames {
  const usedNames = new Set<string>();
  const hiding = new Set<string>();
  visit(document, {
    Field({ alias, name }) {
      usedNames.add(alias?.value ?? name.value);
      if (alias && alias.value !== name.value && names.has(alias.value)) {
        hiding.add(alias.value);
      }
    },
  });
  if (hiding.size === 0) {
    return { document, keyOf: (field) => field.alias?.value ?? field.name.value, clientKeys: inputFields };
  }
  const plannedKeys = new Map<string, string>();
  for (const alias of hiding) {
    let key = `asked_${alias}`;
    while (usedNames.has(key) || names.has(key)) {
      key += "_";
    }
    usedNames.add(key);
    plannedKeys.set(alias, key);
  }
  const keyOf = ({ alias, name }: FieldNode): string =>
    alias && alias.value !== name.value ? (plannedKeys.get(alias.value) ?? alias.value) : name.value;
  return {
    document: visit(document, {
      Field(field) {
        const key = keyOf(field);
        return key === field.name.value || key === field.alias?.value
          ? undefined
          : { ...field, alias: { kind: Kind.NAME, value: key } };
      },
    }),
    keyOf,
    clientKeys: new Map([...inputFields, ...[...plannedKeys].map(([alias, key]) => [key, alias] as const)]),
  };
}
