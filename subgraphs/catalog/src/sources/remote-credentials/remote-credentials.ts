import { DomainError } from "@factory/runtime/errors/domain-error";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import type { Trace } from "@factory/runtime/telemetry/trace";
import type { RemoteCredential } from "../../git/git/remote-credential.js";
import { credentialHosts } from "./credential-host.js";
import type { ResolvedSecret, SecretResolver } from "./secret-resolver.js";

/** One use of a credential: whose it is, where it is sent and what for. */
interface CredentialUse {
  readonly tenantId: string;
  readonly credentialRef: string;
  /** The URL that the secret is sent to. */
  readonly url: string;
  readonly purpose: "scaffold-target" | "template-source";
  /** For the audit log, for example `executions/exe_…`. */
  readonly subject: string;
  readonly trace: Trace;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a credential is bound to hosts: to the host in question, to none, or to other hosts. */
type HostBinding = "thisHost" | "noHosts" | "otherHosts";

// Git hosts that take a token as the password ignore the user name. A host that needs one gets it from the credential.
const defaultUsername = "x-access-token";

/** Turns a tenant's credential into a login or an SSH key for a git remote, at the moment of its use. */
export class RemoteCredentials {
  readonly #secrets: SecretResolver | undefined;

  constructor(secrets: SecretResolver | undefined) {
    this.#secrets = secrets;
  }

  /** Throws TARGET_FORBIDDEN when the credential is for other hosts, or of a kind that git cannot use. */
  async resolve(use: CredentialUse): Promise<RemoteCredential> {
    const { kind, material } = await this.#open(use);
    if (!isFor(use.url, material))
      throw new DomainError("TARGET_FORBIDDEN", {
        detail: `The credential ${use.credentialRef} is for other hosts. Add this host to its hosts, or use another credential.`,
      });
    const credential = remoteCredential(kind, material);
    if (credential) return credential;
    const detail = `The credential ${use.credentialRef} of kind ${kind} cannot be used for a git remote. Use one of kind Basic, BearerToken, ApiKey or SshKey.`;
    throw new DomainError("TARGET_FORBIDDEN", { detail });
  }

  /**
   * The hosts that a credential is bound to. An SSH key is bound, since it is never sent and works for its known hosts
   * only.
   */
  async hostBinding(use: CredentialUse): Promise<HostBinding> {
    const { kind, material } = await this.#open(use);
    if (!isFor(use.url, material)) return "otherHosts";
    return kind === "SshKey" || material["hosts"] !== undefined ? "thisHost" : "noHosts";
  }

  async #open({ tenantId, credentialRef, purpose, subject, trace, signal }: CredentialUse): Promise<ResolvedSecret> {
    if (!this.#secrets)
      throw new DomainError("SECRET_STORE_UNAVAILABLE", {
        detail: "This process has no access to credentials. Use a repository that needs no credential.",
      });
    const options = { trace, ...(signal && { signal }) };
    return this.#secrets.resolve(tenantId, credentialRef, purpose, subject, options);
  }
}

/** Whether a secret may be sent to a URL: it has no list of hosts, or the list contains the host. */
function isFor(url: string, { hosts }: Record<string, unknown>): boolean {
  if (hosts === undefined) return true;
  const urlHosts = credentialHosts(new URL(url));
  return Array.isArray(hosts) && hosts.some((host) => urlHosts.includes(asciiAuthority(String(host))));
}

/** The credential for a git remote; undefined when the secret lacks the members for it. */
function remoteCredential(kind: string, material: Record<string, unknown>): RemoteCredential | undefined {
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
  return password === undefined ? undefined : { kind: "login", username: username ?? defaultUsername, password };
}
