import { DomainError } from "@factory/runtime/errors/domain-error";
import type { SecretResolver } from "@factory/runtime/grpc/secret-resolver";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { RemoteCredential } from "../git/remote-credential.js";

export interface CredentialUse {
  readonly tenantId: string;
  readonly credentialRef: string;
  readonly purpose: "scaffold-target" | "template-source";
  /** For the audit log, such as `executions/exe_…`. */
  readonly subject: string;
  readonly trace: Trace;
  readonly signal?: AbortSignal | undefined;
}

// hosts that take a token as the password ignore the name, or ask for one of their own in the credential
const anyUser = "x-access-token";

/** Turns a tenant's credential into what a git remote asks for, at the moment of its use. */
export class RemoteCredentials {
  readonly #secrets: SecretResolver | undefined;

  constructor(secrets: SecretResolver | undefined) {
    this.#secrets = secrets;
  }

  async resolve(use: CredentialUse): Promise<RemoteCredential> {
    if (!this.#secrets)
      throw new DomainError("SECRET_STORE_UNAVAILABLE", { detail: "This process is given no access to credentials." });
    const { tenantId, credentialRef, purpose, subject, trace, signal } = use;
    const options = { trace, ...(signal && { signal }) };
    const { kind, material } = await this.#secrets.resolve(tenantId, credentialRef, purpose, subject, options);
    const credential = remoteCredential(kind, material);
    if (credential) return credential;
    const detail = `The credential ${credentialRef} of kind ${kind} holds nothing that a git remote accepts; Basic, BearerToken, ApiKey and SshKey do.`;
    throw new DomainError("TARGET_FORBIDDEN", { detail });
  }
}

export function remoteCredential(kind: string, material: Record<string, unknown>): RemoteCredential | undefined {
  const text = (member: string) => {
    const value = material[member];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const username = text("username");
  if (kind === "SshKey") {
    const [privateKey, knownHosts] = [text("privateKey"), text("knownHosts")];
    if (privateKey === undefined || knownHosts === undefined) return undefined;
    return { kind: "sshKey", privateKey, knownHosts, ...(username === undefined ? {} : { username }) };
  }
  const password = text("password") ?? text("token") ?? text("accessToken") ?? text("apiKey");
  return password === undefined ? undefined : { kind: "login", username: username ?? anyUser, password };
}
