import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialType } from "../credentials/credentials/credential.type.js";
import { credentialView } from "../credentials/credentials/credential.view.js";
import { nextRotation } from "../credentials/credentials/credential-schedule.js";
import type { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import type { UpdateCredentialInput } from "./credential-rotation.input.js";

/** Changes credentials' schedules. */
export class CredentialUpdateService {
  readonly #database: Database;
  readonly #versions: CredentialVersions;
  readonly #clock: () => Date;

  constructor(database: Database, versions: CredentialVersions, clock: () => Date) {
    this.#database = database;
    this.#versions = versions;
    this.#clock = clock;
  }

  update(context: RequestContext, credentialId: string, input: UpdateCredentialInput): Promise<CredentialType> {
    return idempotentMutation(this.#database, context, {
      field: "updateCredential",
      arguments: { credentialId, input },
      commit: async (transaction) => {
        const credential = await this.#versions.lock(transaction, credentialId);
        const { expiresAt, graceSeconds, rotationIntervalDays } = input;
        if (expiresAt !== undefined) {
          const time = expiresAt === null ? null : new Date(expiresAt);
          await this.#versions.expire(transaction, credential, time);
        }
        if (graceSeconds !== undefined) credential.graceSeconds = graceSeconds;
        if (rotationIntervalDays !== undefined) {
          credential.rotationIntervalDays = rotationIntervalDays;
          credential.nextRotationAt = nextRotation(rotationIntervalDays, this.#clock());
        }
        this.#versions.plan(credential);
        return credentialView(credential);
      },
    });
  }
}
