import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Origin } from "@factory/runtime/messages/audit-record";
import { namedSubject } from "@factory/runtime/messages/named-subject";
import { isAuditedStatus, type RefusalSink } from "@factory/runtime/messages/refusal";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { errorCodes } from "@factory/schema/error-codes";
import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode, valueFromASTUntyped } from "graphql";
import { type Operation, operationFields } from "./operation-charge.js";

interface RefusedError {
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Record<string, unknown> | undefined;
}

/** An operation that has ended with errors. */
interface RefusedOperation extends Operation {
  readonly variables: Record<string, unknown> | undefined;
  readonly context: RequestContext;
}

/**
 * Notes an operation's refusals for the audit log: one for each root field and code, however many nested fields were
 * refused. An error without a path refuses all root fields.
 */
export function noteRefusedFields(
  refusals: RefusalSink,
  { document, operation, variables, context }: RefusedOperation,
  errors: readonly RefusedError[],
): void {
  const notedKeys = new Set<string>();
  for (const { path, extensions } of errors) {
    const code = extensions?.["code"];
    const status = statusOf(code);
    if (!isAuditedStatus(status)) continue;
    const key = path?.[0];
    const field = key === undefined ? undefined : rootField(document, operation.selectionSet, String(key));
    const names = field ? [field.name.value] : operationFields({ document, operation });
    for (const name of names) {
      const once = `${key ?? ""} ${name} ${String(code)}`;
      if (notedKeys.has(once)) continue;
      notedKeys.add(once);
      refusals.note({
        ...{ operation: name, code: String(code), status },
        ...{ trace: context.trace, principal: context.principal, origin: originOf(context) },
        subject: field && namedSubject(name, argumentsOf(field, variables)),
      });
    }
  }
}

/** Notes a token with which a websocket cannot be opened. */
export function noteRefusedToken(refusals: RefusalSink, error: unknown, origin: Origin): void {
  const code = error instanceof DomainError ? error.code : undefined;
  const status = statusOf(code);
  if (code !== undefined && isAuditedStatus(status))
    refusals.note({ operation: "GET /graphql", code, status, trace: continueTrace(undefined), origin });
}

function statusOf(code: unknown): number | null | undefined {
  return typeof code === "string" && Object.hasOwn(errorCodes, code)
    ? errorCodes[code as keyof typeof errorCodes].status
    : undefined;
}

const argumentsOf = ({ arguments: argumentNodes = [] }: FieldNode, variables: Record<string, unknown> | undefined) =>
  Object.fromEntries(argumentNodes.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]));

/** The root field with this key in the answer. The document is valid, so the recursion ends. */
function rootField(document: DocumentNode, { selections }: SelectionSetNode, key: string): FieldNode | undefined {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      if ((selection.alias ?? selection.name).value === key) return selection;
      continue;
    }
    const inner =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : document.definitions.find(
            (definition) =>
              definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
          );
    const nestedField =
      inner && "selectionSet" in inner && inner.selectionSet && rootField(document, inner.selectionSet, key);
    if (nestedField) return nestedField;
  }
  return undefined;
}
