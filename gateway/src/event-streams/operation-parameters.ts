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
  const { query, documentId, extensions, operationName, variables } = members;
  if (documentId != null && typeof documentId !== "string") throw invalid("/documentId", "The id must be a text.");
  if (extensions != null && !isObject(extensions)) throw invalid("/extensions", "The extensions must be an object.");
  const isNamed = Boolean(documentId) || Boolean(extensions?.["persistedQuery"]);
  if (typeof query === "string" ? query === "" && !isNamed : query != null || !isNamed)
    throw invalid("/query", "Send the GraphQL document as a text, or the documentId of a persisted document.");
  if (operationName != null && typeof operationName !== "string")
    throw invalid("/operationName", "The name of the operation must be a text.");
  if (variables != null && !isObject(variables)) throw invalid("/variables", "The variables must be a JSON object.");
  return {
    query: typeof query === "string" && query !== "" ? query : undefined,
    documentId: documentId || undefined,
    extensions: extensions ?? undefined,
    operationName: operationName || undefined,
    variables: variables ?? {},
  };
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
    throw invalid(`/${name}`, `The ${name} must be a JSON object.`);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (pointer: string, detail: string) =>
  new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code: "TYPE", detail }] });
