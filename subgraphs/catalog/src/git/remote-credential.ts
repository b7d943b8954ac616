import { isLoginName, RemoteBlocked } from "./remote-policy.js";

interface LoginCredential {
  kind: "login";
  username: string;
  password: string;
}

export interface SshKeyCredential {
  kind: "sshKey";
  /** Used where the URL names nobody; `git` when both are silent. */
  username?: string;
  /** In OpenSSH or PEM form, without a passphrase. */
  privateKey: string;
  /** Lines of a known_hosts file; a host that is not among them is refused. */
  knownHosts: string;
}

export type RemoteCredential = LoginCredential | SshKeyCredential;

/** Refuses a login that could not be handed on as one line. The message never holds any of it. */
export function requireLogin(credential: RemoteCredential): LoginCredential {
  if (credential.kind !== "login") throw new RemoteBlocked("an ssh key opens only ssh addresses");
  // Node would put a value with a NUL into its error message
  if (/\p{Cc}/u.test(credential.username + credential.password))
    throw new RemoteBlocked("its credential holds a control character");
  return credential;
}

export function requireSshKey(credential: RemoteCredential | undefined): SshKeyCredential {
  if (credential?.kind !== "sshKey") throw new RemoteBlocked("ssh needs a credential with a private key");
  if (!credential.privateKey.trimStart().startsWith("-----BEGIN "))
    throw new RemoteBlocked("its credential holds no private key");
  if (credential.knownHosts.trim() === "") throw new RemoteBlocked("its credential names no known hosts");
  if (credential.username !== undefined && !isLoginName(credential.username))
    throw new RemoteBlocked("its credential holds a login name that ssh cannot take");
  return credential;
}
