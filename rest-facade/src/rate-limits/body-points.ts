import type { RateClass } from "@factory/schema/rate-classes";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimit } from "./rate-limits.js";

/** A body of this size is ordinary. Reading, checking and digesting a larger one takes time by its size. */
const bytesPerPoint = 64 * 1024;

/** The points of a body beside the one of its request. */
export const bodyPoints = (bytes = 0): number => Math.max(0, Math.ceil(bytes / bytesPerPoint) - 1);

type Done = (error: Error | null) => void;

/** Counts the points of a large body before the answer is sent, also where the answer is a refusal. */
export const chargeBody =
  (rate: RateClass, limit: RateLimit | undefined) =>
  ({ principal, bodyBytes }: FastifyRequest, reply: FastifyReply, _: unknown, done: Done): void => {
    const points = bodyPoints(bodyBytes);
    if (points === 0 || !principal || !limit) done(null);
    else void settle(limit.charge(rate, principal, { points, reply }), done);
  };

async function settle(charge: Promise<void>, done: Done): Promise<void> {
  try {
    await charge;
    done(null);
  } catch (error) {
    done(error as Error);
  }
}
