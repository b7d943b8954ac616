/** The part of a document's syntax tree that tells the kind of an operation. */
interface Definition {
  readonly kind: string;
  readonly operation?: string;
  readonly name?: { readonly value: string } | undefined;
}

/** The parameters of one operation, as GraphiQL hands them to a fetcher. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: unknown;
}

/** The headers of the header editor, and the document that is run. */
export interface RequestSurroundings {
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly documentAST?: { readonly definitions: readonly Definition[] } | undefined;
}

/** Whether the request runs a subscription. */
export function isSubscription({ operationName }: OperationRequest, { documentAST }: RequestSurroundings): boolean {
  const operations = (documentAST?.definitions ?? []).filter(({ kind }) => kind === "OperationDefinition");
  const chosen = operations.find(({ name }) => name !== undefined && name.value === operationName) ?? operations[0];
  return chosen?.operation === "subscription";
}
