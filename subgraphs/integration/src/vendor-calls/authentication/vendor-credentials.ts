import { DomainError } from "@factory/runtime/errors/domain-error";
import type { CredentialService } from "../../credentials/credential.service.js";
import type { SecretMaterial } from "../../credentials/secret-store.js";
import type { VendorTarget } from "../exchange/vendor-call.js";
import { requireHost } from "./material.js";

/** Opens the credential of a connection, for the hosts that the credential names. */
export class VendorCredentials {
  readonly #credentials: CredentialService;

  constructor(credentials: CredentialService) {
    this.#credentials = credentials;
  }

  /**
   * The version that the target names, or the Current one. Throws CREDENTIAL_NOT_FOUND, INVALID_STATE and, when the
   * credential is for other hosts, CREDENTIAL_UNUSABLE.
   */
  async current({ tenant, cause, connection, credentialVersion }: VendorTarget, url: URL): Promise<SecretMaterial> {
    const { authMode, credentialId } = connection;
    if (authMode === "None") return {};
    if (credentialId === null)
      throw new DomainError("CREDENTIAL_NOT_FOUND", {
        detail:
          "The credential of the connection is not a credential of this tenant. Create it, or change the connection.",
      });
    const { material } = await this.#credentials.openVersion(
      tenant,
      cause,
      credentialId,
      credentialVersion ?? "current",
    );
    requireHost(material, url);
    return material;
  }

  /** The Previous version within its grace period; undefined without one, or when the target names a version. */
  async previous(target: VendorTarget, url: URL): Promise<SecretMaterial | undefined> {
    const { tenant, cause, connection, credentialVersion } = target;
    if (connection.credentialId === null || credentialVersion !== undefined) return undefined;
    try {
      const { material } = await this.#credentials.openVersion(tenant, cause, connection.credentialId, "previous");
      requireHost(material, url);
      return material;
    } catch (error) {
      if (error instanceof DomainError && error.code !== "SECRET_STORE_UNAVAILABLE") return undefined;
      throw error;
    }
  }
}
