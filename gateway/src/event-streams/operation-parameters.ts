import { DomainError } from "@factory/runtime/errors/domain-error";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";

/** The parameters of a GraphQL request (GraphQL over HTTP, section 5). */
export interface OperationParameters {
  readonly query: string;
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
  const { query, operationName, variables } = members;
  if (typeof query !== "string" || query === "") throw invalid("/query", "Send the GraphQL document as a text.");
  if (operationName != null && typeof operationName !== "string")
    throw invalid("/operationName", "The name of the operation must be a text.");
  if (variables != null && !isObject(variables)) throw invalid("/variables", "The variables must be a JSON object.");
  return { query, operationName: operationName || undefined, variables: variables ?? {} };
}

function membersOfSearch(search: string): Record<string, unknown> {
  const parameters = new URLSearchParams(search);
  const variables = parameters.get("variables");
  return {
    query: parameters.get("query"),
    operationName: parameters.get("operationName"),
    variables: variables === null || variables === "" ? undefined : readJson(variables),
  };
}

function readJson(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    throw invalid("/variables", "The variables must be a JSON object.");
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (pointer: string, detail: string) =>
  new DomainError("VALIDATION_FAILED", { detail, errors: [{ pointer, code: "TYPE", detail }] });
