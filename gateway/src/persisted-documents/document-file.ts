import { createHash } from "node:crypto";
import { GraphQLError, parse } from "graphql";
import { documentLimits, limitProblem } from "../limits/document-limits.js";

/** Begins an identifier that is the SHA-256 of the document (GraphQL over HTTP, appendix on persisted documents). */
const sha256Prefix = "sha256:";
const sha256Digits = /^[0-9a-f]{64}$/;
const manifestFormat = "apollo-persisted-query-manifest";
const maxIdLength = 200;

export const sha256Id = (text: string): string => `${sha256Prefix}${createHash("sha256").update(text).digest("hex")}`;

/**
 * Reads the documents of a file, by their identifiers. The file is Apollo's manifest of persisted queries, or an object
 * whose members are identifiers with their documents, as graphql-codegen and Relay write it. Throws an Error whose
 * message says what is wrong.
 */
export function documentsOf(fileText: string): ReadonlyMap<string, string> {
  const content = parsedJson(fileText);
  const entries = isObject(content) && "format" in content ? manifestEntries(content) : mapEntries(content);
  const documents = new Map<string, string>();
  for (const [id, text] of entries) {
    requireReadable(id, text);
    for (const name of namesOf(id, text)) {
      if ((documents.get(name) ?? text) !== text) throw new Error(`Two documents have the id ${name}.`);
      documents.set(name, text);
    }
  }
  return documents;
}

/** Every document has its SHA-256 as an identifier, beside the one in the file. */
function namesOf(id: string, text: string): string[] {
  const digestId = sha256Id(text);
  const isDigest = id.startsWith(sha256Prefix) || sha256Digits.test(id);
  const namedId = sha256Digits.test(id) ? `${sha256Prefix}${id}` : id;
  if (isDigest && namedId !== digestId)
    throw new Error(`The id ${id} is not the SHA-256 of its document, which is ${digestId}.`);
  return isDigest ? [digestId, digestId.slice(sha256Prefix.length)] : [id, digestId];
}

function requireReadable(id: string, text: string): void {
  if (id === "" || id.length > maxIdLength) throw new Error(`An id must have 1 to ${maxIdLength} characters.`);
  if (/^(?!sha256:|x-)[^:]*:/.test(id))
    throw new Error(`The id ${id} has an unknown prefix. Use sha256:, a prefix that begins with x-, or no colon.`);
  const document = parsedDocument(id, text);
  const problem = limitProblem(document, Buffer.byteLength(text));
  if (problem) throw new Error(`The document ${id} is too complex: ${problem.detail}`);
}

function parsedDocument(id: string, text: string) {
  try {
    return parse(text, { maxTokens: documentLimits.maxTokens });
  } catch (error) {
    if (error instanceof GraphQLError) throw new Error(`The document ${id} cannot be parsed: ${error.message}`);
    throw error;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`It is not JSON: ${(error as Error).message}`);
  }
}

function manifestEntries({ format, version, operations }: Record<string, unknown>): [string, string][] {
  if (format !== manifestFormat || version !== 1)
    throw new Error(`A file with the member "format" must be an ${manifestFormat} of version 1.`);
  if (!Array.isArray(operations)) throw new Error(`The member "operations" must be a list.`);
  return operations.map((operation: unknown, at) => {
    const { id, body } = isObject(operation) ? operation : {};
    if (typeof id !== "string" || typeof body !== "string")
      throw new Error(`The operation ${at} must have an id and a body, which are texts.`);
    return [id, body];
  });
}

function mapEntries(content: unknown): [string, string][] {
  if (!isObject(content)) throw new Error("It must be a JSON object with ids and documents, or Apollo's manifest.");
  return Object.entries(content).map(([id, text]) => {
    if (typeof text !== "string") throw new Error(`The document ${id} must be a text.`);
    return [id, text];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
