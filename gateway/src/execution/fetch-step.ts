import type { FetchNode, ResponsePath } from "@apollo/query-planner";
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from "graphql";
import { type Fields, isFields, ownValue, setOwn } from "../query-planner/own-property.js";
import type { PreparedFetch, Subgraph } from "../subgraphs/subgraph.js";
import { type ErrorPaths, noteErrors, pathRenamer } from "./answer-errors.js";
import { failedFetch } from "./downstream-error.js";
import { entitiesAt, fixedPrefix, pathsAt } from "./entity-path.js";
import { shapeOf } from "./fetch-shape.js";
import { mergeFields } from "./merge.js";
import { markMissing, soleOwners } from "./missing-entities.js";
import { compileRepresentation, isNullKey, representationKey } from "./representation.js";
import { compileRewrites } from "./rewrites.js";

/** The AbortSignal members that this package reads. */
export interface Abortable {
  readonly aborted: boolean;
}

/** An operation's execution: its variables and context, and the data and errors gathered so far. */
export interface Run<C> {
  /** The variables as the client sent them. Each subgraph coerces them itself. */
  readonly provided: Readonly<Fields>;
  /** The coerced variables, which decide @skip and @include. */
  readonly coerced: Readonly<Fields>;
  readonly context: C;
  /** After an abort no further fetch starts. */
  readonly signal: Abortable | undefined;
  readonly errors: GraphQLError[];
  /** Key in the plan -> key in the response, for keys whose names differ. */
  readonly clientKeys: ReadonlyMap<string, string>;
  data: Fields | undefined;
  extensions: Fields | undefined;
}

export type Step<C> = (run: Run<C>) => Promise<void> | void;

export interface PlanTools<C> {
  readonly subgraphs: ReadonlyMap<string, Subgraph<C>>;
  /** The schema with inaccessible elements, because representations may need them. */
  readonly supergraphSchema: GraphQLSchema;
}

const noVariables: Fields = Object.freeze<Fields>(Object.create(null));

export function prepareFetch<C>(node: FetchNode, tools: PlanTools<C>): PreparedFetch<C> {
  const subgraph = tools.subgraphs.get(node.serviceName);
  if (!subgraph) {
    throw new Error(`The supergraph names the subgraph "${node.serviceName}", which is not connected`);
  }
  if (node.contextRewrites && node.contextRewrites.length > 0) {
    throw new Error("Contextual arguments (@fromContext) are not supported");
  }
  return subgraph.prepare(node.operation, node.operationName);
}

/** Runs one fetch and merges its result into every entity at `path`. */
export function compileFetch<C>(node: FetchNode, path: ResponsePath, tools: PlanTools<C>): Step<C> {
  const preparedFetch = prepareFetch(node, tools);
  const exchange: (run: Run<C>) => Exchange | undefined = node.requires
    ? entityExchange(node, path, tools)
    : plainExchange(node, path, tools.supergraphSchema);
  return (run) => {
    const settle = (result: ExecutionResult, answer: Exchange["answer"]): void => {
      try {
        answer(result);
      } catch (reason) {
        run.errors.push(failedFetch(reason, node.serviceName));
      }
    };
    if (run.signal?.aborted) {
      run.errors.push(
        new GraphQLError("The caller has closed the connection.", { extensions: { code: "REQUEST_TIMEOUT" } }),
      );
      return undefined;
    }
    try {
      const request = exchange(run);
      if (!request) {
        return undefined;
      }
      const result = preparedFetch.run(request.variables, run.context);
      if ("then" in result) {
        return result.then(
          (fetchResult) => settle(fetchResult, request.answer),
          (reason: unknown) => {
            run.errors.push(failedFetch(reason, node.serviceName));
          },
        );
      }
      settle(result, request.answer);
    } catch (reason) {
      run.errors.push(failedFetch(reason, node.serviceName));
    }
    return undefined;
  };
}

interface Exchange {
  readonly variables: Fields;
  readonly answer: (result: ExecutionResult) => void;
}

function plainExchange<C>(node: FetchNode, path: ResponsePath, schema: GraphQLSchema) {
  const receive = compileRootAnswer<C>(node, schema, path);
  const variablesOf = variablePicker(node.variableUsages);
  return (run: Run<C>): Exchange | undefined => {
    if (path.length > 0 && entitiesAt(run.data, path).length === 0) {
      return undefined;
    }
    return { variables: variablesOf(run.provided), answer: (result) => receive(run, result) };
  };
}

/** Merges a root operation's or one event's result into the run: its errors, its extensions and its data. */
export function compileRootAnswer<C>(
  node: FetchNode,
  schema: GraphQLSchema,
  path: ResponsePath = [],
): (run: Run<C>, result: ExecutionResult) => void {
  const shape = shapeOf(node);
  const rewriteOutput = compileRewrites(schema, node.outputRewrites);
  const rename = pathRenamer(node);
  return (run, result) => {
    noteErrors(run, result, node.serviceName, (errorPath) => [[...fixedPrefix(path), ...rename(errorPath)]]);
    noteExtensions(run, result);
    const data = result.data;
    if (!isFields(data)) {
      return;
    }
    rewriteOutput?.(data);
    if (path.length === 0 && run.data === undefined) {
      run.data = data;
      return;
    }
    run.data ??= Object.create(null) as Fields;
    entitiesAt(run.data, path).forEach((entity, index) => mergeFields(entity, data, shape, index > 0));
  };
}

function entityExchange<C>(node: FetchNode, path: ResponsePath, tools: PlanTools<C>) {
  const represent = compileRepresentation(tools.supergraphSchema, node.requires ?? []);
  const rewriteInput = compileRewrites(tools.supergraphSchema, node.inputRewrites);
  const rewriteOutput = compileRewrites(tools.supergraphSchema, node.outputRewrites);
  const shape = shapeOf(node);
  const rename = pathRenamer(node);
  const variablesOf = variablePicker(node.variableUsages, 1);
  const ownerOf = soleOwners(tools.supergraphSchema);
  const sharedKey = (entity: Fields, representation: Fields): string | undefined => {
    const key = representationKey(representation);
    // The answer's rewrites depend on this entity's type. An interface object does not send its type.
    return rewriteOutput && key !== undefined ? `${String(entity["__typename"])} ${key}` : key;
  };

  return (run: Run<C>): Exchange | undefined => {
    const entities = entitiesAt(run.data, path);
    const representations: Fields[] = [];
    // For each entity: its representation's index, or -1 when it has no representation.
    const placeOf: number[] = [];
    const indexByKey = new Map<string, number>();
    for (const entity of entities) {
      const representation = represent(entity);
      if (!representation || isNullKey(representation)) {
        if (representation) {
          run.errors.push(nullKey(node.serviceName, pathsAt(run.data, path)[placeOf.length]));
        }
        placeOf.push(-1);
        continue;
      }
      rewriteInput?.(representation);
      const key = entities.length > 1 ? sharedKey(entity, representation) : undefined;
      const place = (key === undefined ? undefined : indexByKey.get(key)) ?? representations.length;
      if (place === representations.length) {
        representations.push(representation);
        if (key !== undefined) {
          indexByKey.set(key, place);
        }
      }
      placeOf.push(place);
    }
    if (representations.length === 0) {
      return undefined;
    }

    const errorPaths: ErrorPaths = (errorPath) => {
      if (errorPath[0] !== "_entities") {
        return [[...fixedPrefix(path), ...rename(errorPath)]];
      }
      const place = errorPath[1];
      if (typeof place !== "number") {
        return [fixedPrefix(path)];
      }
      const rest = rename(errorPath.slice(2));
      return pathsAt(run.data, path)
        .filter((_, index) => placeOf[index] === place)
        .map((entityPath) => [...entityPath, ...rest]);
    };

    const answer = (result: ExecutionResult): void => {
      noteErrors(run, result, node.serviceName, errorPaths);
      if (!isFields(result.data)) {
        return;
      }
      const entityAnswers = ownValue(result.data, "_entities");
      if (!Array.isArray(entityAnswers)) {
        throw new GraphQLError('Expected "data._entities" in response to be an array');
      }
      if (entityAnswers.length !== representations.length) {
        throw new GraphQLError(`Expected "data._entities" to contain ${representations.length} elements`);
      }
      const mergedPlaces = new Set<number>();
      entities.forEach((entity, index) => {
        const place = placeOf[index] ?? -1;
        const fields: unknown = place === -1 ? undefined : entityAnswers[place];
        if (!isFields(fields)) {
          if (fields === null && ownerOf.get(String(entity["__typename"])) === node.serviceName) {
            markMissing(entity);
          }
          return;
        }
        if (rewriteOutput && !mergedPlaces.has(place)) {
          fields["__typename"] ??= entity["__typename"];
          rewriteOutput(fields);
        }
        mergeFields(entity, fields, shape, mergedPlaces.has(place));
        mergedPlaces.add(place);
      });
    };
    const variables = variablesOf(run.provided);
    variables["representations"] = representations;
    return { variables, answer };
  };
}

/**
 * Reports an entity whose key is null. The subgraph that returned the entity is at fault. Without this error the
 * response would look as if the entity's other fields were null.
 */
function nullKey(subgraph: string, path: ResponsePath | undefined): GraphQLError {
  return new GraphQLError(
    `The key of this object is null, so its fields in the subgraph "${subgraph}" cannot be fetched.`,
    {
      path,
      extensions: { serviceName: subgraph, code: "DOWNSTREAM_SERVICE_ERROR" },
    },
  );
}

/**
 * Returns a function that picks the named variables. With `extra` the caller adds its own variables to the result, so
 * each call returns a new object.
 */
export function variablePicker(
  names: readonly string[] | undefined,
  extra = 0,
): (provided: Readonly<Fields>) => Fields {
  if (!names || names.length === 0) {
    return extra === 0 ? () => noVariables : () => ({});
  }
  if (extra > 0 && names.includes("representations")) {
    throw new GraphQLError('A variable cannot be called "representations"');
  }
  return (providedValues) => {
    const variables: Fields = {};
    for (const name of names) {
      const value = ownValue(providedValues, name);
      if (value !== undefined) {
        setOwn(variables, name, value);
      }
    }
    return variables;
  };
}

function noteExtensions<C>(run: Run<C>, result: ExecutionResult): void {
  if (result.extensions) {
    run.extensions ??= Object.create(null) as Fields;
    for (const key of Object.keys(result.extensions)) {
      setOwn(run.extensions, key, result.extensions[key]);
    }
  }
}
