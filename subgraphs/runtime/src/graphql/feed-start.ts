import { DomainError } from "../errors/domain-error.js";
import type { RequestContext } from "../tenancy/request-context.js";

/** The largest Int in GraphQL. */
const maxInt = 2_147_483_647;

/** The cursor after which a subscription begins. The header Last-Event-ID stands before the argument `after`. */
export const startCursor = (
  { lastEventId }: Pick<RequestContext, "lastEventId">,
  after: string | null | undefined,
): string | undefined => lastEventId ?? after ?? undefined;

/** The sequence after which a subscription to steps begins, as `startCursor`. Throws INVALID_CURSOR. */
export function startSequence(
  { lastEventId }: Pick<RequestContext, "lastEventId">,
  after: number | null | undefined,
): number | null | undefined {
  if (lastEventId === undefined) return after;
  if (!/^\d{1,10}$/.test(lastEventId) || Number(lastEventId) > maxInt)
    throw new DomainError("INVALID_CURSOR", {
      detail:
        "The header Last-Event-ID is not the id of an event in this stream. Send the id of the last event, or leave it out.",
    });
  return Number(lastEventId);
}
