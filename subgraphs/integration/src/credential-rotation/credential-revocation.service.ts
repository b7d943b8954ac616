import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { CredentialType } from "../credentials/credential.type.js";
import { credentialView } from "../credentials/credential.view.js";
import type { CredentialVersions } from "../credentials/credential-versions.js";

/** Revokes credentials. */
export class CredentialRevocationService {
  readonly #database: Database;
  readonly #versions: CredentialVersions;

  constructor(database: Database, versions: CredentialVersions) {
    this.#database = database;
    this.#versions = versions;
  }

  revoke(context: RequestContext, credentialId: string, reason: string | null): Promise<CredentialType> {
    return idempotentMutation(this.#database, context, {
      field: "revokeCredential",
      arguments: { credentialId, reason },
      commit: async (transaction) => {
        const credential = await this.#versions.lock(transaction, credentialId);
        await this.#versions.revoke(transaction, credential, reason);
        return credentialView(credential);
      },
    });
  }
}
