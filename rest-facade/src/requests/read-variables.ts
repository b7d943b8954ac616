import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { ownNumbers } from "@factory/runtime/graphql/own-numbers";
import { enumSchema } from "@factory/runtime/input-validation/enum-schema";
import { inputRefusal } from "@factory/runtime/input-validation/input-refusal";
import { constraintOf, inputSchema, type JsonSchema } from "@factory/runtime/input-validation/input-schema";
import { inputValidator } from "@factory/runtime/input-validation/input-validator";
import { refusalCode } from "@factory/runtime/input-validation/refusal-code";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import { isKeptNumber } from "@factory/runtime/json/kept-numbers";
import type { ErrorCode } from "@factory/schema/error-codes";
import type { FastifyRequest } from "fastify";
import {
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  print,
  type TypeNode,
  typeFromAST,
  type VariableDefinitionNode,
} from "graphql";
import { variableTarget } from "../operations/describe-variable.js";
import { isList, type Operation } from "../operations/load-operation.js";
import { type Method, pathParameters } from "../routes/route.js";
import { unknownParameters } from "./known-parameters.js";
import { pruneChange, pruneInput } from "./prune-input.js";
import { waitPreference } from "./wait-preference.js";

type Variables = Record<string, unknown>;
type Read = (request: FastifyRequest, variables: Variables, problems: RequestProblems) => void;

/** Everything that is wrong with one request. */
class RequestProblems {
  readonly errors: FieldError[] = [];
  /** The code for values outside of their closed set. */
  code: ErrorCode | undefined;
  /** The request has parameters that do not exist, which is wrong whatever their values are. */
  hasUnknownParameters = false;
}

interface QueryParameter {
  /** The documented name, then its aliases. */
  readonly names: readonly string[];
  readonly variable: string;
  readonly schema: JsonSchema;
  readonly description: string | undefined;
}

interface Endpoint {
  readonly method: Method;
  readonly path: string;
}

/**
 * Compiles a row's variables once: path parameters by name, the body as `input`, `ifMatch` and `ifNoneMatch` from their
 * headers, `waitSeconds` from the header Prefer, everything else from the query string.
 */
export function readVariables(operation: Operation, { method, path }: Endpoint, graph: GraphQLSchema) {
  const inPath = new Set(pathParameters(path));
  const reads: Read[] = [];
  const query: QueryParameter[] = [];
  const conditions: string[] = [];
  let input: GraphQLInputObjectType | undefined;
  let waits = false;
  for (const definition of operation.definition.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    if (inPath.has(name)) reads.push(readPath(name));
    else if (name === "input") {
      input = inputType(definition, graph);
      reads.push(readBody(input, method));
    } else if (conditionHeaders[name] !== undefined) {
      conditions.push(name);
      reads.push(readHeader(name, conditionHeaders[name]));
    } else if (name === "waitSeconds") {
      waits = true;
      reads.push(readWait);
    } else {
      const target = variableTarget(operation, name, graph);
      const description = target?.description ?? listDescriptions[name];
      const { enum: values } = constraintOf(target?.astNode);
      const parameter = { ...queryParameter(name, definition.type, graph, values), description };
      query.push(parameter);
      reads.push(readQuery(parameter));
    }
  }
  if (method === "POST" && !input) reads.push(readNoBody);
  if (method === "GET" && isList(operation)) reads.push(readOnly(query.flatMap(({ names }) => names)));
  return { input, query, conditions, waits, read: (request: FastifyRequest) => readAll(reads, request) };
}

function readAll(reads: readonly Read[], request: FastifyRequest): Variables {
  const variables: Variables = {};
  const problems = new RequestProblems();
  for (const readPart of reads) readPart(request, variables, problems);
  const { errors, code, hasUnknownParameters } = problems;
  if (errors.length > 0) throw inputRefusal(errors, hasUnknownParameters ? "VALIDATION_FAILED" : code);
  return variables;
}

/** Another parameter on a list would be a filter without effect, and the answer too long without any sign. */
const readOnly =
  (knownNames: readonly string[]): Read =>
  ({ query }, _variables, problems) => {
    const errors = unknownParameters(query as object, knownNames);
    problems.errors.push(...errors);
    problems.hasUnknownParameters = errors.length > 0;
  };

const readPath =
  (name: string): Read =>
  (request, variables) => {
    const value = (request.params as Record<string, string>)[name];
    if (value === undefined || value === "")
      throw new DomainError("NOT_FOUND", {
        detail: "This path does not exist. The documented paths are listed at /docs.",
      });
    variables[name] = value;
  };

const conditionHeaders: Record<string, "if-match" | "if-none-match" | undefined> = {
  ifMatch: "if-match",
  ifNoneMatch: "if-none-match",
};

const readHeader =
  (name: string, header: "if-match" | "if-none-match"): Read =>
  ({ headers }, variables) => {
    const value = headers[header];
    if (value !== undefined) variables[name] = value;
  };

const readWait: Read = ({ headers }, variables) => {
  const seconds = waitPreference(headers["prefer"]);
  if (seconds !== undefined) variables["waitSeconds"] = seconds;
};

function inputType({ type }: VariableDefinitionNode, graph: GraphQLSchema): GraphQLInputObjectType {
  const namedType = typeFromAST(graph, type as never);
  const bare = namedType && "ofType" in namedType ? namedType.ofType : namedType;
  if (!isInputObjectType(bare)) throw new Error(`$input must be of an input type of the graph, not ${print(type)}`);
  return bare;
}

/** The operation takes no input. An object is allowed, since unknown members are ignored. */
const readNoBody: Read = ({ body }, _variables, { errors }) => {
  if (body === undefined || (typeof body === "object" && body !== null && !Array.isArray(body) && !isKeptNumber(body)))
    return;
  errors.push({ pointer: "", code: "TYPE", detail: "The body must be an object, or absent." });
};

function readBody(type: GraphQLInputObjectType, method: Method): Read {
  const check = inputValidator(inputSchema(type));
  const prune = method === "PATCH" ? pruneChange(type) : pruneInput(type);
  const toOwnNumbers = ownNumbers(type);
  return ({ body }, variables, problems) => {
    // a missing body counts as an empty one, so that every missing member is reported
    const value = body === undefined ? {} : toOwnNumbers(body);
    const fieldErrors = check(value);
    if (fieldErrors.length > 0) {
      problems.errors.push(...fieldErrors);
      problems.code = refusalCode(type, fieldErrors);
    } else variables["input"] = prune(value);
  };
}

export const maxLimit = 200;
const maxTextLength = 2048;

/** Relay's argument names with the names that the specifications use in lists, and their aliases. */
const listNames: Record<string, readonly string[] | undefined> = {
  first: ["limit", "pageSize"],
  after: ["cursor", "pageToken"],
};

const listDescriptions: Record<string, string | undefined> = {
  first: `The number of items on a page. The default is 50. A number above ${maxLimit} is read as ${maxLimit}.`,
  after: "`nextCursor` of the previous page. Empty or absent for the first page.",
};

function queryParameter(
  variable: string,
  type: TypeNode,
  graph: GraphQLSchema,
  values: unknown,
): Omit<QueryParameter, "description"> {
  const names = listNames[variable] ?? [variable];
  const typeName = print(type).replace("!", "");
  const schema = values
    ? { type: "string", enum: values }
    : (querySchemas[typeName] ?? schemaOfEnum(graph.getType(typeName)));
  if (!schema) throw new Error(`$${variable}: a query parameter cannot be of type ${print(type)}`);
  return { names, variable, schema: variable === "first" ? { ...schema, minimum: 1 } : schema };
}

const schemaOfEnum = (type: GraphQLNamedType | undefined): JsonSchema | undefined =>
  isEnumType(type) ? enumSchema(type) : undefined;

const querySchemas: Record<string, JsonSchema | undefined> = {
  Int: { type: "integer" },
  Boolean: { type: "boolean" },
  String: { type: "string", maxLength: maxTextLength },
  ID: { type: "string", maxLength: maxTextLength },
};

function readQuery({ names, variable, schema }: QueryParameter): Read {
  const values = schema["enum"];
  const convert = Array.isArray(values) ? oneOf(values) : (converters[String(schema["type"])] ?? text);
  return (request, variables, { errors }) => {
    const givenParameters = request.query as Record<string, string | string[]>;
    const name = names.find((candidate) => givenParameters[candidate] !== undefined);
    if (name === undefined) return;
    const value = givenParameters[name];
    // forms and tools send parameters that were left empty
    if (variable === "after" && value === "") return;
    const result =
      Array.isArray(value) || value === undefined ? ["DUPLICATE", "Must be given only once."] : convert(value);
    if (Array.isArray(result)) {
      const [code = "FORMAT", detail = ""] = result;
      errors.push({ pointer: `/${name}`, code, detail });
    } else if (variable === "first") limit(result as number, name, variables, errors);
    else variables[variable] = result;
  };
}

function limit(value: number, name: string, variables: Variables, errors: FieldError[]): void {
  if (value < 1) errors.push({ pointer: `/${name}`, code: "OUT_OF_RANGE", detail: "Must be at least 1." });
  else variables["first"] = Math.min(value, maxLimit);
}

type Converted = string | number | boolean | [code: string, detail: string];

const text = (value: string): Converted =>
  value.length > maxTextLength
    ? ["TOO_LONG", `Must be at most ${maxTextLength} characters.`]
    : isStorable(value)
      ? value
      : ["FORMAT", "Must be valid Unicode text without the character NUL."];

const oneOf =
  (values: readonly string[]) =>
  (value: string): Converted =>
    values.includes(value) ? value : ["UNKNOWN_VALUE", `Must be one of ${values.join(", ")}.`];

const converters: Record<string, ((value: string) => Converted) | undefined> = {
  integer: (value) => (/^-?\d{1,15}$/.test(value) ? Number(value) : ["TYPE", "Must be an integer."]),
  boolean: (value) => (value === "true" ? true : value === "false" ? false : ["TYPE", "Must be true or false."]),
};
