import type { QueryPlanSelectionNode } from "@apollo/query-planner";
import type { GraphQLSchema } from "graphql";
import { type Fields, isFields, ownValue, setOwn } from "../query-planner/own-property.js";
import { satisfyingTypes } from "./type-conditions.js";

type Fill = (source: Fields, target: Fields) => boolean;

/** Compiles `requires` into a function from an entity to its representation. Null if a required field is missing. */
export function compileRepresentation(
  schema: GraphQLSchema,
  requires: QueryPlanSelectionNode[],
): (entity: Fields) => Fields | null {
  const fill = compileSelections(schema, requires);
  return (entity) => {
    const representation: Fields = Object.create(null);
    return fill(entity, representation) && representation["__typename"] ? representation : null;
  };
}

/** Whether the representation has fields besides `__typename` and all these fields are null. */
export function isNullKey(representation: Fields): boolean {
  const names = Object.keys(representation).filter((name) => name !== "__typename");
  return names.length > 0 && names.every((name) => isNothing(representation[name]));
}

function isNothing(value: unknown): boolean {
  return value === null || (isFields(value) && isNullKey(value));
}

function compileSelections(schema: GraphQLSchema, selections: QueryPlanSelectionNode[]): Fill {
  const fills = selections.map((selection) => compileSelection(schema, selection));
  return (source, target) => {
    for (const fill of fills) {
      if (!fill(source, target)) {
        return false;
      }
    }
    return true;
  };
}

function compileSelection(schema: GraphQLSchema, selection: QueryPlanSelectionNode): Fill {
  if (selection.kind === "InlineFragment") {
    if (selection.typeCondition === undefined) {
      return compileSelections(schema, selection.selections);
    }
    const types = satisfyingTypes(schema, selection.typeCondition);
    const fill = compileSelections(schema, selection.selections);
    return (source, target) => {
      const typename = source["__typename"];
      if (typeof typename === "string" && types.has(typename)) {
        const part: Fields = Object.create(null);
        // A fragment with a missing field adds nothing. Another fragment may still apply.
        if (fill(source, part)) {
          addFields(target, part);
        }
      }
      return true;
    };
  }
  // The gathered data has the field under its alias. The subgraph expects the field under its name.
  const key = selection.alias ?? selection.name;
  const inner = selection.selections ? compileSelections(schema, selection.selections) : undefined;
  return (source, target) => {
    const value = ownValue(source, key);
    if (value === undefined) {
      // This field's fetch failed, and its error is already reported.
      return false;
    }
    setOwn(target, selection.name, inner ? composite(value, inner) : value);
    return true;
  };
}

function composite(value: unknown, fill: Fill): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => composite(item, fill));
  }
  if (!isFields(value)) {
    return null;
  }
  const result: Fields = Object.create(null);
  return fill(value, result) ? result : null;
}

function addFields(target: Fields, part: Fields): void {
  for (const key of Object.keys(part)) {
    const current = ownValue(target, key);
    const addedValue = part[key];
    if (isFields(current) && isFields(addedValue) && Object.getPrototypeOf(addedValue) === null) {
      addFields(current, addedValue);
    } else {
      setOwn(target, key, addedValue);
    }
  }
}

/** Returns equal keys for equal representations, or undefined for a value that cannot be compared. */
export function representationKey(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return `s${value.length}:${value}`;
    case "number":
      return `n${value};`;
    case "boolean":
      return value ? "t" : "f";
    case "bigint":
      return `b${value};`;
    case "object":
      return value === null ? "~" : objectKey(value);
    default:
      return undefined;
  }
}

function objectKey(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (value instanceof Date) {
    return `d${value.getTime()};`;
  }
  if (!Array.isArray(value) && prototype !== null && prototype !== Object.prototype) {
    return undefined;
  }
  let key = Array.isArray(value) ? "[" : "{";
  for (const [name, item] of Object.entries(value)) {
    const part = representationKey(item);
    if (part === undefined) {
      return undefined;
    }
    key += `${name.length}:${name}${part}`;
  }
  return `${key}}`;
}
