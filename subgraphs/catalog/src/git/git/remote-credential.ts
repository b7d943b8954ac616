import { isLoginName, RemoteBlocked } from "./remote-policy.js";

interface LoginCredential {
  kind: "login";
  username: string;
  password: string;
}

/** An SSH key, with the hosts that it may be used for. */
export interface SshKeyCredential {
  kind: "sshKey";
  /** The login name when the URL has none. Default `git`. */
  username?: string;
  /** In OpenSSH or PEM form, without a passphrase. */
  privateKey: string;
  /** Lines for a known_hosts file. A host that is not listed is refused. */
  knownHosts: string;
}

/** The credential with which git or HTTP reaches one remote. */
export type RemoteCredential = LoginCredential | SshKeyCredential;

/**
 * Throws RemoteBlocked for an SSH key, and for a login that does not fit on one line. The message never contains the
 * login.
 */
export function requireLogin(credential: RemoteCredential): LoginCredential {
  if (credential.kind !== "login") throw new RemoteBlocked("an SSH key works only for ssh addresses");
  // Node shows a value with a NUL in its error message.
  if (/\p{Cc}/u.test(credential.username + credential.password))
    throw new RemoteBlocked("its credential contains a control character");
  return credential;
}

/** Throws RemoteBlocked when the credential is not a complete SSH key. */
export function requireSshKey(credential: RemoteCredential | undefined): SshKeyCredential {
  if (credential?.kind !== "sshKey") throw new RemoteBlocked("ssh needs a credential of kind SshKey");
  if (!credential.privateKey.trimStart().startsWith("-----BEGIN "))
    throw new RemoteBlocked("the privateKey of its credential is not a private key in OpenSSH or PEM form");
  if (credential.knownHosts.trim() === "") throw new RemoteBlocked("its credential has no knownHosts");
  if (credential.username !== undefined && !isLoginName(credential.username))
    throw new RemoteBlocked("its credential has a login name that ssh does not accept");
  return credential;
}
