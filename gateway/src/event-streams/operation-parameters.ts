import { DomainError } from "@factory/runtime/errors/domain-error";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** The parameters of a GraphQL request (GraphQL over HTTP, section 5). */
export interface OperationParameters {
  readonly query: string | undefined;
  /** The name of a persisted document, in place of `query`. */
  readonly documentId: string | undefined;
  /** Apollo's clients name a persisted document here. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface ParameterRequest {
  readonly method: string;
  /** The part of the URL after the question mark. */
  readonly search: string;
  /** The parsed body. */
  readonly body: unknown;
}

/** Reads the parameters from the URL of a GET, or from the body of a POST. Throws VALIDATION_FAILED. */
export function operationParameters({ method, search, body }: ParameterRequest): OperationParameters {
  const members = method === "GET" ? membersOfSearch(search) : body;
  if (!isObject(members)) throw invalid("", "The body must be a JSON object with the member query.");
  const parameters = {
    query: textOf(members, "query"),
    documentId: textOf(members, "documentId"),
    extensions: objectOf(members, "extensions"),
    operationName: textOf(members, "operationName"),
    variables: objectOf(members, "variables") ?? {},
  };
  if (!parameters.query && !parameters.documentId && !parameters.extensions?.["persistedQuery"])
    throw invalid("/query", "Send the GraphQL document as a text, or the documentId of a persisted document.");
  return parameters;
}

/** An empty text is as good as none. */
function textOf(members: Record<string, unknown>, name: string): string | undefined {
  const value = members[name] ?? "";
  if (typeof value !== "string") throw invalid(`/${name}`, `The member ${name} must be a text.`);
  return value === "" ? undefined : value;
}

function objectOf(members: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  const value = members[name] ?? undefined;
  if (value !== undefined && !isObject(value)) throw invalid(`/${name}`, `The member ${name} must be a JSON object.`);
  return value;
}

function membersOfSearch(search: string): Record<string, unknown> {
  const parameters = new URLSearchParams(search);
  return {
    query: parameters.get("query"),
    documentId: parameters.get("documentId"),
    operationName: parameters.get("operationName"),
    variables: jsonOf(parameters, "variables"),
    extensions: jsonOf(parameters, "extensions"),
  };
}

function jsonOf(parameters: URLSearchParams, name: string): unknown {
  const text = parameters.get(name);
  if (text === null || text === "") return undefined;
  try {
    return parseForeignJson(text);
  } catch {
    throw invalid(`/${name}`, `The parameter ${name} must be a JSON object.`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (pointer: string, detail: string) =>
  new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code: "TYPE", detail }] });
