import {
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLNullableType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from "graphql";
import { type Fields, isFields, ownValue } from "../query-planner/own-property.js";
import { collectFields, innerSelections, type SelectionContext } from "../query-planner/selection.js";
import { leafCheck } from "./leaf-values.js";
import { isMissing } from "./missing-entities.js";

/** A null whose error is already reported. It adds no second error when it propagates to the parent. */
const reportedNull = Symbol("reported null");
/** A null that the schema does not allow. The enclosing object or list becomes null. */
const bubblingNull = Symbol("bubbling null");

interface Frame {
  readonly path: (string | number)[];
  readonly errors: GraphQLError[];
  readonly introspect: (nodes: readonly FieldNode[]) => unknown;
}

/** Completes one value. `where` names the position in messages. Returns a value, null, reportedNull or bubblingNull. */
type Complete = (value: unknown, frame: Frame, where: string) => unknown;

interface ProjectedField {
  readonly key: string;
  /** The field's key in the gathered data. */
  readonly sourceKey: string;
  readonly where: string;
  /** Undefined for a __typename whose type is known at compile time. The field `constant` holds that value. */
  readonly complete: Complete | undefined;
  readonly constant: string | undefined;
  readonly introspection: readonly FieldNode[] | undefined;
}

type ProjectObject = (source: Fields, frame: Frame) => Fields | typeof reportedNull;

interface Projected {
  readonly data: Fields | null;
  readonly errors: GraphQLError[];
}

interface ProjectionContext extends SelectionContext {
  readonly keyOf: (field: FieldNode) => string;
}

export type Projection = (data: Fields, introspect: Frame["introspect"]) => Projected;

/** Compiles the client's selection into a function that orders, filters and checks the gathered data. */
export function compileProjection(
  context: ProjectionContext,
  rootType: GraphQLObjectType,
  selectionSet: SelectionSetNode,
): Projection {
  const project = new ProjectionCompiler(context).object(rootType, [selectionSet]);
  return (data, introspect) => {
    const frame: Frame = { path: [], errors: [], introspect };
    const projectedData = project(data, frame);
    return { data: projectedData === reportedNull ? null : projectedData, errors: frame.errors };
  };
}

class ProjectionCompiler {
  readonly #context: ProjectionContext;

  constructor(context: ProjectionContext) {
    this.#context = context;
  }

  object(type: GraphQLCompositeType, selectionSets: SelectionSetNode[]): ProjectObject {
    const fields: ProjectedField[] = [];
    for (const [key, nodes] of collectFields(this.#context, type, selectionSets)) {
      const field = this.#field(type, key, nodes);
      if (field) {
        fields.push(field);
      }
    }
    const create = fields.some((field) => field.key in Object.prototype)
      ? (): Fields => Object.create(null)
      : (): Fields => ({});
    return (source, frame) => {
      const projectedObject = create();
      for (const field of fields) {
        const value = projectField(field, source, frame);
        if (value === bubblingNull) {
          return reportedNull;
        }
        projectedObject[field.key] = value;
      }
      return projectedObject;
    };
  }

  #field(type: GraphQLCompositeType, key: string, nodes: FieldNode[]): ProjectedField | undefined {
    const [node] = nodes;
    const name = node?.name.value ?? key;
    const sourceKey = node ? this.#context.keyOf(node) : key;
    const base = { key, sourceKey, where: `field ${type.name}.${key}`, complete: undefined, constant: undefined };
    if (name === "__typename") {
      return isObjectType(type)
        ? { ...base, constant: type.name, introspection: undefined }
        : { ...base, complete: this.#typename(key), introspection: undefined };
    }
    if (name === "__schema" || name === "__type") {
      return { ...base, introspection: nodes };
    }
    const definition = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
    return definition && { ...base, complete: this.#output(definition.type, nodes), introspection: undefined };
  }

  /**
   * The object becomes null if the fetch for its real type failed (interface object). That fetch reported the error.
   */
  #typename(key: string): Complete {
    return (value) => {
      const type = typeof value === "string" ? this.#context.schema.getType(value) : undefined;
      return key !== "__typename" && isObjectType(type) ? type.name : bubblingNull;
    };
  }

  #output(type: GraphQLOutputType, nodes: FieldNode[]): Complete {
    const nullable = getNullableType(type) as GraphQLNullableType & GraphQLOutputType;
    const complete = this.#nullable(nullable, nodes);
    if (!isNonNullType(type)) {
      return (value, frame, where) => {
        const completeValue = complete(value, frame, where);
        return completeValue === reportedNull ? null : completeValue;
      };
    }
    return (value, frame, where) => {
      const completeValue = complete(value, frame, where);
      if (completeValue === null) {
        report(frame, "Cannot return null for non-nullable", where);
        return bubblingNull;
      }
      return completeValue === reportedNull ? bubblingNull : completeValue;
    };
  }

  #nullable(type: GraphQLNullableType & GraphQLOutputType, nodes: FieldNode[]): Complete {
    if (isListType(type)) {
      const item = this.#output(type.ofType, nodes);
      return listOf(item, `array element of type ${String(getNullableType(type.ofType))}`);
    }
    if (isLeafType(type)) {
      return leaf(type);
    }
    return this.#composite(type as GraphQLCompositeType, innerSelections(nodes));
  }

  #composite(declaredType: GraphQLCompositeType, selectionSets: SelectionSetNode[]): Complete {
    const byTypename = new Map<string, ProjectObject | null>();
    const projectorOf = (typename: string): ProjectObject | null => {
      let project = byTypename.get(typename);
      if (project === undefined) {
        const type = this.#context.schema.getType(typename);
        project = isCompositeType(type) ? this.object(type, selectionSets) : null;
        if (project) {
          // Names that the schema does not contain are not cached, so that subgraphs cannot fill the map.
          byTypename.set(typename, project);
        }
      }
      return project;
    };
    return (value, frame, where) => {
      if (value === null) {
        return null;
      }
      if (!isFields(value)) {
        return reported(frame, "Invalid non-object value found for", where);
      }
      if (isMissing(value)) {
        return null;
      }
      const typename = ownValue(value, "__typename");
      const project = projectorOf(typeof typename === "string" ? typename : declaredType.name);
      // The message does not contain the name, because clients may not be allowed to see this type.
      return project ? project(value, frame) : reported(frame, "Invalid __typename found for object at", where);
    };
  }
}

function projectField(field: ProjectedField, source: Fields, frame: Frame): unknown {
  if (field.constant !== undefined) {
    return field.constant;
  }
  if (!field.complete) {
    return frame.introspect(field.introspection ?? []);
  }
  frame.path.push(field.key);
  const value = field.complete(ownValue(source, field.sourceKey) ?? null, frame, field.where);
  frame.path.pop();
  return value;
}

function listOf(complete: Complete, itemWhere: string): Complete {
  return (value, frame, where) => {
    if (value === null) {
      return null;
    }
    if (!Array.isArray(value)) {
      return reported(frame, "Invalid non-list value found for", where);
    }
    const items: unknown[] = [];
    let bubbling = false;
    for (let index = 0; index < value.length; index++) {
      frame.path.push(index);
      const item = complete(value[index] ?? null, frame, itemWhere);
      frame.path.pop();
      bubbling ||= item === bubblingNull;
      items.push(item);
    }
    return bubbling ? reportedNull : items;
  };
}

function leaf(type: GraphQLLeafType): Complete {
  const isValid = leafCheck(type);
  return (value, frame, where) =>
    value === null || isValid(value) ? value : reported(frame, "Invalid value found for", where);
}

function report(frame: Frame, problem: string, where: string): void {
  const last = frame.path.at(-1);
  const position = typeof last === "number" ? `${where} at index ${last}` : where;
  frame.errors.push(
    new GraphQLError(`${problem} ${position}.`, { path: [...frame.path], extensions: { code: "INVALID_GRAPHQL" } }),
  );
}

function reported(frame: Frame, problem: string, where: string): typeof reportedNull {
  report(frame, problem, where);
  return reportedNull;
}
