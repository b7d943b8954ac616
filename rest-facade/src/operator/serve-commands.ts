import type { Verifier } from "@factory/runtime/auth/authenticate";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyInstance } from "fastify";
import { idempotencyKey } from "../requests/idempotency-key.js";
import { operator } from "./operator.js";

/** Sends commands to vendors for all tenants. */
export interface CommandAdministration {
  send(command: unknown, context: RequestContext): Promise<object>;
}

/**
 * Serves `POST /commands` on the internal listener, for `npm run command`. It needs a platform administrator's token
 * with the scope `tenant.manage`, and takes an Idempotency-Key.
 */
export function serveCommands(app: FastifyInstance, commands: CommandAdministration, verifier: Verifier): void {
  app.post("/commands", async (request, reply) => {
    const principal = await operator(request, verifier);
    const context = requestContext({
      ...{ principal, trace: request.trace, internal: true, idempotencyKey: idempotencyKey(request) },
      ...originOfRequest(request.raw),
    });
    const sentCommand = await commands.send(withPlainNumbers(request.body), context);
    if (context.replayed) reply.header("idempotent-replayed", "true");
    return reply.code(202).send(sentCommand);
  });
}
