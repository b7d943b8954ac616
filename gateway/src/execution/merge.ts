import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from "graphql";
import { type Fields, isFields, ownValue, setOwn } from "../query-planner/own-property.js";

/** An operation's response keys. Null marks a leaf, whose value (such as a JSON scalar) is replaced, not merged. */
export type FieldShape = Map<string, FieldShape | null>;

export function fieldShape(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  shape: FieldShape = new Map(),
): FieldShape {
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const innerShape = shape.get(key);
      shape.set(
        key,
        selection.selectionSet ? fieldShape(selection.selectionSet, fragments, innerShape ?? new Map()) : null,
      );
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      fieldShape(selection.selectionSet, fragments, shape);
    } else {
      const fragment = fragments.get(selection.name.value);
      if (fragment) {
        fieldShape(fragment.selectionSet, fragments, shape);
      }
    }
  }
  return shape;
}

/** Merges `source` into `target`. With `copy`, the two share no object or list afterwards. */
export function mergeFields(target: Fields, source: Fields, shape: FieldShape, copy: boolean): void {
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value === undefined) {
      continue;
    }
    const inner = shape.get(key);
    setOwn(target, key, inner ? mergeValue(ownValue(target, key), value, inner, copy) : value);
  }
}

function mergeValue(current: unknown, value: unknown, shape: FieldShape, copy: boolean): unknown {
  if (Array.isArray(value)) {
    if (Array.isArray(current) && current.length === value.length) {
      for (let index = 0; index < value.length; index++) {
        current[index] = mergeValue(current[index], value[index], shape, copy);
      }
      return current;
    }
    return copy ? value.map((item) => copyValue(item, shape)) : value;
  }
  if (isFields(value)) {
    if (isFields(current)) {
      mergeFields(current, value, shape, copy);
      return current;
    }
    return copy ? copyValue(value, shape) : value;
  }
  return value;
}

function copyValue(value: unknown, shape: FieldShape): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => copyValue(item, shape));
  }
  if (!isFields(value)) {
    return value;
  }
  const copy: Fields = Object.create(null);
  mergeFields(copy, value, shape, true);
  return copy;
}
