import type { FetchNode } from "@apollo/query-planner";
import { fetchDocument } from "./fetch-document.js";
import { type FieldShape, fieldShape } from "./merge.js";
import { renameInShape } from "./rewrites.js";

/** The keys that a fetch adds to the root object or, for an entity fetch, to each entity. */
export function shapeOf(node: FetchNode): FieldShape {
  const { operation, fragments } = fetchDocument(node);
  const whole = fieldShape(operation.selectionSet, fragments);
  const shape = node.requires ? (whole.get("_entities") ?? new Map<string, FieldShape | null>()) : whole;
  renameInShape(shape, node.outputRewrites);
  return shape;
}
