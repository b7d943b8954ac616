import type { JsonSize } from "@factory/runtime/input-validation/json-size";
import type { RateClass } from "@factory/schema/rate-classes";
import type { FastifyReply, FastifyRequest } from "fastify";
import "../http/fastify-members.js";
import type { RateLimit } from "./rate-limits.js";

/** A body with this size is ordinary. Reading, checking and digesting a larger one takes time by its size. */
const bytesPerPoint = 64 * 1024;
/** An ordinary body's size. Each further member takes as much time as many text bytes. */
const sizePerPoint: JsonSize = { members: 2000, values: 5000 };

/** Absent where the listener has read no body. */
type Body = Partial<Pick<FastifyRequest, "bodyBytes" | "bodySize">>;

/** A body's points beside its request's point. */
export function bodyPoints({ bodyBytes = 0, bodySize }: Body): number {
  if (bodySize === undefined && bodyBytes <= bytesPerPoint) return 0;
  const { members, values } = bodySize ?? { members: 0, values: 0 };
  const parts = [bodyBytes / bytesPerPoint, members / sizePerPoint.members, values / sizePerPoint.values];
  return Math.max(1, ...parts.map(Math.ceil)) - 1;
}

type Done = (error: Error | null) => void;

/** Counts a large body's points before the answer is sent, also where the answer is a refusal. */
export const chargeBody =
  (rate: RateClass, limit: RateLimit | undefined) =>
  (request: FastifyRequest, reply: FastifyReply, _: unknown, callback: Done): void => {
    const { principal } = request;
    const points = bodyPoints(request);
    if (points > 0 && principal) limit?.charge(rate, principal, { points, reply });
    callback(null);
  };
