import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { RemoteCredential } from "../git/remote-credential.js";
import { credentialHosts } from "./credential-host.js";
import type { ResolvedSecret, SecretResolver } from "./secret-resolver.js";

export interface CredentialUse {
  readonly tenantId: string;
  readonly credentialRef: string;
  /** Where it is sent. */
  readonly url: string;
  readonly purpose: "scaffold-target" | "template-source";
  /** For the audit log, such as `executions/exe_…`. */
  readonly subject: string;
  readonly trace: Trace;
  readonly signal?: AbortSignal | undefined;
}

/** Whether material may be sent to a place: it names that place, names none, or names others. */
export type CredentialReach = "here" | "anywhere" | "elsewhere";

// hosts that take a token as the password ignore the name, or ask for one of their own in the credential
const anyUser = "x-access-token";

/** Turns a tenant's credential into what a git remote asks for, at the moment of its use. */
export class RemoteCredentials {
  readonly #secrets: SecretResolver | undefined;

  constructor(secrets: SecretResolver | undefined) {
    this.#secrets = secrets;
  }

  /** Refuses a credential that names its hosts, and not this one. */
  async resolve(use: CredentialUse): Promise<RemoteCredential> {
    const { kind, material } = await this.#open(use);
    if (!isFor(use.url, material))
      throw new DomainError("TARGET_FORBIDDEN", { detail: `The credential ${use.credentialRef} is for other hosts.` });
    const credential = remoteCredential(kind, material);
    if (credential) return credential;
    const detail = `The credential ${use.credentialRef} of kind ${kind} holds nothing that a git remote accepts; Basic, BearerToken, ApiKey and SshKey do.`;
    throw new DomainError("TARGET_FORBIDDEN", { detail });
  }

  /** How free a caller is in where it is sent: an SSH key never leaves, and goes to its known hosts only. */
  async reach(use: CredentialUse): Promise<CredentialReach> {
    const { kind, material } = await this.#open(use);
    if (!isFor(use.url, material)) return "elsewhere";
    return kind === "SshKey" || material["hosts"] !== undefined ? "here" : "anywhere";
  }

  async #open({ tenantId, credentialRef, purpose, subject, trace, signal }: CredentialUse): Promise<ResolvedSecret> {
    if (!this.#secrets)
      throw new DomainError("SECRET_STORE_UNAVAILABLE", { detail: "This process is given no access to credentials." });
    const options = { trace, ...(signal && { signal }) };
    return this.#secrets.resolve(tenantId, credentialRef, purpose, subject, options);
  }
}

/** Material names the hosts it is for, or none. */
function isFor(url: string, { hosts }: Record<string, unknown>): boolean {
  if (hosts === undefined) return true;
  const named = credentialHosts(new URL(url));
  return Array.isArray(hosts) && hosts.some((host) => named.includes(String(host).toLowerCase()));
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
