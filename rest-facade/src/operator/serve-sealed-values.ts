import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { FastifyInstance } from "fastify";
import { causeOf, operator } from "./operator.js";

/** The stored values that are sealed under a master key. */
export interface SealedValueAdministration {
  /** Begins to seal all values again under the newest key, or joins a run that has begun already. */
  rewrap(cause: Cause): Promise<object>;
  /** The run's progress, or the last run's result. */
  progress(): object;
}

/**
 * Serves `POST /sealed-values/rewrap` and `GET /sealed-values` on the internal listener, for `npm run rewrap`. They
 * need a platform administrator's token with the scope `tenant.manage`.
 */
export function serveSealedValues(app: FastifyInstance, values: SealedValueAdministration, verifier: Verifier): void {
  app.get("/sealed-values", async (request, reply) => {
    await operator(request, verifier);
    return reply.header("cache-control", "no-store").send(values.progress());
  });
  app.post("/sealed-values/rewrap", async (request, reply) => {
    const principal = await operator(request, verifier);
    return reply.code(202).send(await values.rewrap(causeOf(request, principal)));
  });
}
