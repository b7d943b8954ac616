import type { Database } from "@factory/runtime/db/database";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { AuthorizationServer } from "../authorization-server/authorization-server.js";
import type { RotateSigningKeysInput } from "./signing-key.input.js";
import type { SigningKeyRotationType } from "./signing-key.type.js";

export class SigningKeyService {
  readonly #database: Database;
  readonly #server: Pick<AuthorizationServer, "rotateSigningKeys">;

  constructor(database: Database, server: Pick<AuthorizationServer, "rotateSigningKeys">) {
    this.#database = database;
    this.#server = server;
  }

  rotate(context: RequestContext, input: RotateSigningKeysInput | null | undefined): Promise<SigningKeyRotationType> {
    const { trace, correlationId, causationId } = context;
    const principal = principalOf(context);
    const cause = { trace, correlationId, causationId, actorId: principal.subject, principal };
    let rotated: SigningKeyRotationType | undefined;
    return mutate<SigningKeyRotationType>(this.#database, context, {
      field: "rotateSigningKeys",
      arguments: { input: input ?? null },
      // keys are of no tenant: should this transaction fail or be run again after it, the rotation stands
      commit: async () => {
        rotated ??= await this.#server.rotateSigningKeys({ immediately: input?.immediately ?? false, cause });
        return rotated;
      },
    });
  }
}
