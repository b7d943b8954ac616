import type { FetchNode, PlanNode, QueryPlan, ResponsePath } from "@apollo/query-planner";
import { type FieldNode, GraphQLError, Kind, type SelectionNode, type SelectionSetNode } from "graphql";
import type { Fields } from "../query-planner/own-property.js";
import type { PlannedNames } from "../query-planner/planning-names.js";
import type { Fragments } from "../query-planner/selection.js";
import { pathsAt } from "./entity-path.js";
import { shapeOf } from "./fetch-shape.js";
import type { FieldShape } from "./merge.js";

interface AskedFields {
  readonly plan: QueryPlan;
  readonly fragments: Fragments;
  readonly names: PlannedNames;
}

/** A field that no fetch in the plan returns. */
export interface UnservedField {
  /** The path to the parent object, with the plan's key names. */
  readonly parent: ResponsePath;
  /** The client's response key. */
  readonly key: string;
}

/**
 * Finds the fields that the planner (2.14.4) leaves out without an error because no subgraph can resolve them, such as
 * fields on an interface that no object type implements. Without this check the response would contain null for them.
 * The check ignores fields under a type condition and fields with @skip or @include, because a correct plan may leave
 * these fields out.
 */
export function unservedFields(request: AskedFields, selectionSet: SelectionSetNode): UnservedField[] {
  const shape: FieldShape = new Map();
  const { node } = request.plan;
  if (node?.kind === "Subscription") {
    addFetch(shape, [], node.primary);
    if (node.rest) addNode(shape, [], node.rest);
  } else if (node) {
    addNode(shape, [], node);
  }
  const missingFields: UnservedField[] = [];
  findUnserved({ ...request, found: missingFields }, selectionSet, { shape, parent: [] });
  return missingFields;
}

/** Returns an error for each object in the data that lacks the field. */
export function unservedErrors(fields: readonly UnservedField[], data: Fields): GraphQLError[] {
  return fields.flatMap(({ parent, key }) =>
    pathsAt(data, parent).map(
      (path) =>
        new GraphQLError(`The field "${key}" cannot be resolved, because no subgraph resolves it at this place.`, {
          path: [...path, key],
          extensions: { code: "INVALID_GRAPHQL" },
        }),
    ),
  );
}

function addNode(shape: FieldShape, path: ResponsePath, node: PlanNode): void {
  switch (node.kind) {
    case "Fetch":
      return addFetch(shape, path, node);
    case "Flatten":
      return addNode(shape, [...path, ...node.path], node.node);
    case "Sequence":
    case "Parallel":
      return node.nodes.forEach((child) => addNode(shape, path, child));
    case "Condition":
      for (const clause of [node.ifClause, node.elseClause]) if (clause) addNode(shape, path, clause);
      return;
    default:
      return;
  }
}

function addFetch(shape: FieldShape, path: ResponsePath, fetch: FetchNode): void {
  const holder = path
    .filter((element) => element !== "@")
    .reduce<FieldShape>((parent, element) => {
      const inner = parent.get(String(element)) ?? new Map();
      parent.set(String(element), inner);
      return inner;
    }, shape);
  mergeShapes(holder, shapeOf(fetch));
}

function mergeShapes(target: FieldShape, addedShape: FieldShape): void {
  for (const [key, inner] of addedShape) {
    const targetInner = target.get(key);
    if (targetInner && inner) mergeShapes(targetInner, inner);
    else target.set(key, inner ?? targetInner ?? null);
  }
}

interface Search extends AskedFields {
  readonly found: UnservedField[];
}

interface Place {
  readonly shape: FieldShape;
  readonly parent: ResponsePath;
}

const isConditional = ({ directives }: SelectionNode) =>
  directives?.some(({ name }) => name.value === "skip" || name.value === "include");

function findUnserved(search: Search, { selections }: SelectionSetNode, place: Place): void {
  for (const selection of selections) {
    if (isConditional(selection)) continue;
    if (selection.kind === Kind.FIELD) lookAtField(search, selection, place);
    else if (selection.kind === Kind.INLINE_FRAGMENT && !selection.typeCondition)
      findUnserved(search, selection.selectionSet, place);
  }
}

function lookAtField(search: Search, field: FieldNode, { shape, parent }: Place): void {
  if (field.name.value.startsWith("__")) return;
  const sourceKey = search.names.keyOf(field);
  const inner = shape.get(sourceKey);
  if (inner === undefined) {
    search.found.push({ parent, key: field.alias?.value ?? field.name.value });
  } else if (inner && field.selectionSet) {
    findUnserved(search, field.selectionSet, { shape: inner, parent: [...parent, sourceKey] });
  }
}
