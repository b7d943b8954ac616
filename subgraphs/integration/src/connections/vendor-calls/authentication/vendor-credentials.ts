import { DomainError } from "@factory/runtime/errors/domain-error";
import type { CredentialService, OpenCredential } from "../../../credentials/credentials/credential.service.js";
import { credentialName } from "../../../credentials/credentials/credential-name.js";
import type { VendorTarget } from "../exchange/vendor-call.js";
import { requireHost } from "./material.js";

const maxShownLength = 100;

/** A credential's version with its secret. */
export type OpenVersion = Pick<OpenCredential, "version" | "material">;

/** Opens a connection's credential, for the hosts that the credential names. */
export class VendorCredentials {
  readonly #credentials: CredentialService;

  constructor(credentials: CredentialService) {
    this.#credentials = credentials;
  }

  /**
   * The version that the target names, or the Current one. Throws CREDENTIAL_NOT_FOUND, INVALID_STATE and, when the
   * credential is for other hosts, CREDENTIAL_UNUSABLE.
   */
  async current(target: VendorTarget, url: URL): Promise<OpenVersion> {
    const { authMode, credentialId } = target.connection;
    if (authMode === "None") return { version: 0, material: {} };
    if (credentialId === null) throw await this.#missing(target);
    const { version, material } = await (target.prepared?.credential ?? this.#open(target, credentialId));
    requireHost(material, url);
    return { version, material };
  }

  /** Says what is missing and what to do. A long reference's name is not compared. */
  async #missing({ tenant, connection: { credentialRef } }: VendorTarget): Promise<DomainError> {
    if (credentialRef == null)
      return new DomainError("CREDENTIAL_NOT_FOUND", {
        detail:
          "The connection names no credential of this tenant. Create it if it is missing, then set the credentialRef of the connection.",
      });
    const name = credentialName(credentialRef);
    const nearest = await this.#credentials.nearestName(tenant, name);
    const shownName = name.length > maxShownLength ? `${name.slice(0, maxShownLength)}…` : name;
    const unknown = `The connection names no credential of this tenant: there is none with the name "${shownName}".`;
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    const detail =
      nearest === name
        ? `The credential "${shownName}" was created after the connection, which does not use it. Set the credentialRef of the connection again, with a token that has the scope integration.credentials.write.`
        : `${unknown}${hint} Create it, and the connection uses it at once.`;
    return new DomainError("CREDENTIAL_NOT_FOUND", { detail });
  }

  /** Begins to open the version that `current` returns. Undefined when the connection uses none. */
  prepare(target: VendorTarget): Promise<OpenVersion> | undefined {
    const { authMode, credentialId } = target.connection;
    return authMode === "None" || credentialId === null ? undefined : this.#open(target, credentialId);
  }

  #open({ tenant, cause, credentialVersion }: VendorTarget, credentialId: string): Promise<OpenVersion> {
    return this.#credentials.openVersion(tenant, cause, credentialId, credentialVersion ?? "current");
  }

  /** The versions that may be used: the Current one, then Previous ones within their grace period. */
  async usableVersions({ tenant, connection }: VendorTarget): Promise<readonly number[]> {
    const { credentialId } = connection;
    return credentialId === null ? [] : this.#credentials.usableVersions(tenant, credentialId);
  }

  /** The Previous version within its grace period; undefined without one, or when the target names a version. */
  async previous(target: VendorTarget, url: URL): Promise<OpenVersion | undefined> {
    const { tenant, cause, connection, credentialVersion } = target;
    if (connection.credentialId === null || credentialVersion !== undefined) return undefined;
    try {
      const openCredential = await this.#credentials.openVersion(tenant, cause, connection.credentialId, "previous");
      requireHost(openCredential.material, url);
      return openCredential;
    } catch (error) {
      if (error instanceof DomainError && error.code !== "SECRET_STORE_UNAVAILABLE") return undefined;
      throw error;
    }
  }
}
