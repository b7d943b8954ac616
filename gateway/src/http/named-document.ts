import type { PersistedDocuments } from "../persisted-documents/persisted-documents.js";

interface RequestParts {
  readonly method: string;
  readonly search: string;
  readonly body: unknown;
}

/**
 * The request with its document's text, where it names a persisted document. Throws PERSISTED_QUERY_NOT_FOUND. Apollo
 * Server sees no name that was resolved here, so that it keeps no document of the operator.
 */
export function withDocument<Parts extends RequestParts>(request: Parts, persisted: PersistedDocuments): Parts {
  const isGet = request.method === "GET";
  const members = isGet ? membersOf(request.search) : request.body;
  if (!isObject(members)) return request;
  const { query, documentId, extensions, ...others } = members;
  const text = persisted.textOf({ query, documentId, extensions });
  if (text === undefined || (text === query && !persisted.only)) return request;
  if (isGet) return { ...request, search: searchWith(request.search, text) };
  return { ...request, body: { ...others, query: text } };
}

function membersOf(search: string): Record<string, unknown> {
  const parameters = new URLSearchParams(search);
  return {
    query: parameters.get("query"),
    documentId: parameters.get("documentId"),
    extensions: parsedJson(parameters.get("extensions")),
  };
}

function searchWith(search: string, query: string): string {
  const parameters = new URLSearchParams(search);
  parameters.set("query", query);
  parameters.delete("documentId");
  parameters.delete("extensions");
  return `?${parameters.toString()}`;
}

/** Apollo Server refuses a text that is not JSON. */
function parsedJson(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
