import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { originOf, type RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ActiveSigningKeys } from "./active-signing-keys.js";
import type { RotateSigningKeysInput } from "./signing-key.input.js";
import type { SigningKeyRotationType } from "./signing-key.type.js";
import type { Rotation } from "./signing-key-store.js";

/** Rotates the signing keys for a platform administrator. */
export class SigningKeyService {
  readonly #database: Database;
  readonly #keys: ActiveSigningKeys;

  constructor(database: Database, keys: ActiveSigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  rotate(context: RequestContext, input: RotateSigningKeysInput | null | undefined): Promise<SigningKeyRotationType> {
    const { trace, correlationId, causationId } = context;
    const principal = principalOf(context);
    const cause = {
      trace,
      correlationId,
      causationId,
      actorId: principal.subject,
      principal,
      origin: originOf(context),
    };
    let rotation: SigningKeyRotationType | undefined;
    return idempotentMutation<SigningKeyRotationType>(this.#database, context, {
      field: "rotateSigningKeys",
      arguments: { input: input ?? null },
      audit: false,
      // the keys are stored in their own transaction: if this one is run again, the rotation is not repeated
      commit: async () => {
        rotation ??= rotationView(await this.#keys.rotate({ immediately: input?.immediately ?? false, cause }));
        return rotation;
      },
    });
  }
}

const rotationView = ({ keyId, signsFrom }: Rotation): SigningKeyRotationType => ({
  keyId,
  signsFrom: signsFrom.toISOString(),
});
