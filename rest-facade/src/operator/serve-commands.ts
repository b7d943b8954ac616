import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { FastifyInstance } from "fastify";
import { causeOf, operator } from "./operator.js";

/** Sends commands to vendors for all tenants. */
export interface CommandAdministration {
  send(command: unknown, cause: Cause): Promise<object>;
}

/**
 * Serves `POST /commands` on the internal listener, for `npm run command`. It needs a token of a platform administrator
 * with the scope `tenant.manage`.
 */
export function serveCommands(app: FastifyInstance, commands: CommandAdministration, verifier: Verifier): void {
  app.post("/commands", async (request, reply) => {
    const principal = await operator(request, verifier);
    return reply.code(202).send(await commands.send(request.body, causeOf(request, principal)));
  });
}
