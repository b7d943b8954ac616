import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type RateClass, rateClassOf } from "@factory/schema/rate-classes";
import {
  type DocumentNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/** The tenants' rate limits, which REST, GraphQL and websocket share. */
export interface RateLimits {
  spend(rate: RateClass, principal: Principal, points: number): Promise<RateState>;
  /** Counts points for admitted work in any case. */
  charge(rate: RateClass, principal: Principal, points: number): void;
  spendAnonymous(address: string, points: number): Promise<RateState>;
}

interface RateState {
  readonly exceeded: boolean;
  readonly seconds: number;
}

export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/**
 * Counts each root field like the REST request that does the same, and an operation without root fields as one read.
 * Returns an error if a limit is exceeded. In that case the operation may not run at all.
 */
export async function refusedByRate(
  limits: RateLimits,
  { document, operation }: Operation,
  context: RequestContext,
): Promise<GraphQLError | undefined> {
  const { principal } = context;
  // The front door has already counted one request for this address.
  if (!principal) return refusedByAddress(limits, operationFields({ document, operation }).length - 1, context);
  const points = new Map<RateClass, number>();
  for (const name of operationFields({ document, operation })) {
    const rate = rateClassOf(operation.operation, name);
    points.set(rate, (points.get(rate) ?? 0) + 1);
  }
  if (points.size === 0) points.set("read", 1);
  for (const [rate, count] of points) {
    const { exceeded, seconds } = await limits.spend(rate, principal, count);
    if (exceeded) return toGraphqlError(rateLimited(rate, seconds), context);
  }
  return undefined;
}

/**
 * Counts an ended operation's work, beside its root fields. It refuses nothing: the next operations in the class are
 * refused until the window ends.
 */
export function chargeWork(
  limits: RateLimits,
  { operation }: Pick<Operation, "operation">,
  { principal, points }: RequestContext,
): void {
  if (!principal || points === 0) return;
  limits.charge(operation.operation === "mutation" ? "write" : "read", principal, points);
}

/** Counts the root fields in an operation without a token, by client address. */
async function refusedByAddress(limits: RateLimits, count: number, context: RequestContext) {
  if (count <= 0) return undefined;
  const { exceeded, seconds } = await limits.spendAnonymous(context.address ?? "", count);
  return exceeded ? toGraphqlError(rateLimited("anonymous", seconds), context) : undefined;
}

/**
 * Returns an error if the tenant has sent too many invalid documents. No document from the tenant is read until the
 * limit's time window ends.
 */
export async function refusedUnread(limits: RateLimits, context: RequestContext): Promise<DomainError | undefined> {
  if (!context.principal) return undefined;
  const { exceeded, seconds } = await limits.spend("invalid", context.principal, 0);
  return exceeded ? rateLimited("invalid", seconds) : undefined;
}

/** Counts a document that cannot be parsed, is not valid or has no operation to run. */
export function countInvalid(limits: RateLimits, { principal, points }: RequestContext): void {
  if (principal) limits.charge("invalid", principal, 1 + points);
}

/** An operation's root field names, without introspection. */
export function operationFields({ document, operation }: Operation): string[] {
  return rootFields(document, operation.selectionSet).filter((name) => !name.startsWith("__"));
}

function rateLimited(rate: RateClass | "anonymous", seconds: number): DomainError {
  return new DomainError("RATE_LIMITED", {
    detail: `The limit for requests of class ${rate} is reached. Wait for the time in Retry-After.`,
    retryAfterSeconds: Math.max(1, seconds),
  });
}

/**
 * Returns the root fields' names, with fragments expanded. The document is valid and within its limits, so the
 * recursion ends.
 */
function rootFields(document: DocumentNode, { selections }: SelectionSetNode): string[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value];
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(document, selection.selectionSet);
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === selection.name.value,
    );
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFields(document, fragment.selectionSet) : [];
  });
}
