import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type GraphQLSchema, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from "graphql";
import { documentsOf, sha256Id } from "./document-file.js";

/** The members of a request that name a document or are one. */
interface NamedDocument {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}

/**
 * The documents that the operator has given, which requests name by an identifier. With `only` they are the only ones
 * that are served. They are planned at their first use, as a client's own documents are.
 */
export class PersistedDocuments {
  readonly only: boolean;
  readonly #documents: ReadonlyMap<string, string>;

  constructor(documents: ReadonlyMap<string, string> = new Map(), only = false) {
    this.#documents = documents;
    this.only = only;
  }

  /** Throws an Error whose message says why the file cannot be used. */
  static async read(path: string, only: boolean): Promise<PersistedDocuments> {
    return new PersistedDocuments(documentsOf(await readFile(path, "utf8")), only);
  }

  /**
   * The text of the document that the request names by `documentId`, or by Apollo's `extensions.persistedQuery`; or the
   * request's own text. Throws PERSISTED_QUERY_NOT_FOUND for an unknown name, and for a text that is not served.
   */
  textOf({ query, documentId, extensions }: NamedDocument): string | undefined {
    const text = typeof query === "string" && query !== "" ? query : undefined;
    if (typeof documentId === "string" && documentId !== "")
      return this.#documents.get(documentId) ?? refuse("No persisted document has this documentId.");
    const hash = hashOf(extensions);
    const namedText = typeof hash === "string" ? this.#documents.get(hash) : undefined;
    if (namedText !== undefined) return namedText;
    if (!this.only) return text;
    if (hash !== undefined) return refuse("No persisted document has this sha256Hash.");
    if (text === undefined || this.#documents.has(sha256Id(text))) return text;
    return refuse("The platform serves persisted documents only. Name one of them by documentId.");
  }

  /** As `textOf`, where nobody else knows further documents: a name without a document is refused. */
  knownTextOf(named: NamedDocument): string {
    const text = this.textOf(named);
    if (text === undefined && isObject(named.extensions) && named.extensions["persistedQuery"] !== undefined)
      return refuse("No persisted document has this sha256Hash.");
    return text ?? "";
  }

  /** Throws an Error that names the first document which is not valid for this schema. */
  async requireFit(schema: GraphQLSchema, introspection: boolean): Promise<void> {
    const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    for (const text of new Set(this.#documents.values())) {
      const [problem] = validate(schema, parse(text), rules, { maxErrors: 1 });
      if (problem) throw new Error(`The document ${this.#idOf(text)} does not fit the graph: ${problem.message}`);
      await nextTurn();
    }
  }

  #idOf(text: string): string | undefined {
    return [...this.#documents].find(([, candidate]) => candidate === text)?.[0];
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function hashOf(extensions: unknown): unknown {
  const name = isObject(extensions) ? extensions["persistedQuery"] : undefined;
  return isObject(name) ? name["sha256Hash"] : undefined;
}

function refuse(detail: string): never {
  throw new DomainError("PERSISTED_QUERY_NOT_FOUND", { detail });
}
