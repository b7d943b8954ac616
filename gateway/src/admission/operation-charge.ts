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

/** The tenant's windows, which REST counts in too. */
export interface RateLimits {
  spend(rate: RateClass, principal: Principal, points: number): Promise<RateState>;
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
 * Counts each root field as the REST request that it stands for, and a document without any as one read. What is over
 * a limit is refused whole, before it runs.
 */
export async function refusedByRate(
  limits: RateLimits,
  { document, operation }: Operation,
  context: RequestContext,
): Promise<GraphQLError | undefined> {
  const { principal } = context;
  // the front door has counted the request itself by its address
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

/** What needs no token is counted by the address that asks. */
async function refusedByAddress(limits: RateLimits, count: number, context: RequestContext) {
  if (count <= 0) return undefined;
  const { exceeded, seconds } = await limits.spendAnonymous(context.address ?? "", count);
  return exceeded ? toGraphqlError(rateLimited("anonymous", seconds), context) : undefined;
}

/** Whether the tenant has sent so many documents of no use that none of its documents is read until the window ends. */
export async function refusedUnread(limits: RateLimits, context: RequestContext): Promise<DomainError | undefined> {
  if (!context.principal) return undefined;
  const { exceeded, seconds } = await limits.spend("invalid", context.principal, 0);
  return exceeded ? rateLimited("invalid", seconds) : undefined;
}

/** A document that does not parse, is not valid or holds no operation to run. */
export async function countInvalid(limits: RateLimits, { principal }: RequestContext): Promise<void> {
  if (principal) await limits.spend("invalid", principal, 1);
}

/** Root fields of the graph's own; introspection is none. */
export function operationFields({ document, operation }: Operation): string[] {
  return rootFields(document, operation.selectionSet).filter((name) => !name.startsWith("__"));
}

function rateLimited(rate: RateClass | "anonymous", seconds: number): DomainError {
  return new DomainError("RATE_LIMITED", {
    detail: `The limit for requests of class ${rate} is reached. Wait for the time in Retry-After.`,
    retryAfterSeconds: Math.max(1, seconds),
  });
}

/** With fragments expanded; the document is valid and within its limits, so this ends soon. */
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
