import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { ExecutionResult } from "graphql";
import type { CompiledOperation } from "../execution/compiled-operation.js";

const usualMs = 30_000;
const longMs = 60_000;

/** Root fields that fetch sources, render templates or try many version sets. */
const longFields: ReadonlySet<string> = new Set([
  "validateTemplateVersion",
  "previewExecution",
  "importLibraryPackage",
  "scanDependencies",
  "libraryUpgradeAdvice",
]);

/**
 * Returns the deadline in milliseconds for an operation with these root fields. It is the same for REST, HTTP and
 * websocket.
 */
export const deadlineOf = (rootFields: readonly string[]): number =>
  rootFields.some((name) => longFields.has(name)) ? longMs : usualMs;

interface TimedRequest {
  readonly variables: Record<string, unknown>;
  readonly context: RequestContext;
  readonly deadlineMs: number;
  /** Called when the operation has ended. After a timeout, the operation ends later than its answer. */
  readonly onEnd?: () => void;
}

/**
 * Runs an operation and answers UPSTREAM_TIMEOUT at its deadline. After the deadline, a query stops at its next fetch,
 * and a mutation runs to its end.
 */
export function runInTime(
  operation: CompiledOperation<RequestContext>,
  { variables, context, deadlineMs, onEnd }: TimedRequest,
): Promise<ExecutionResult> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const caller = context.signal;
    const signal = {
      get aborted() {
        return isLate || caller?.aborted === true;
      },
    };
    context.signal = operation.kind === "query" ? signal : undefined;
    const deadline = setTimeout(() => {
      isLate = true;
      const detail = `The operation took longer than ${deadlineMs / 1000} s.${operation.kind === "mutation" ? outcome(context) : ""}`;
      resolve({ errors: [toGraphqlError(new DomainError("UPSTREAM_TIMEOUT", { detail }), context)] });
    }, deadlineMs);
    operation.execute(variables, context, signal).then(
      (result) => {
        onEnd?.();
        clearTimeout(deadline);
        resolve(result);
      },
      (reason: Error) => {
        onEnd?.();
        clearTimeout(deadline);
        reject(reason);
      },
    );
  });
}

const outcome = ({ idempotencyKey }: RequestContext): string =>
  idempotencyKey === undefined
    ? " It is still running, and its outcome is not known. The request had no Idempotency-Key, so check the result before you repeat it."
    : " It is still running, and its outcome is not known. You can safely repeat the request with the same Idempotency-Key.";
