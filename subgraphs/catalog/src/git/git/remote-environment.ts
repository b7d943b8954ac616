import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitHome } from "./git-home.js";
import { type RemoteCredential, requireLogin, requireSshKey, type SshKeyCredential } from "./remote-credential.js";
import type { ReachableRemote, SshEndpoint } from "./remote-policy.js";

const connectTimeoutS = 15;

/**
 * The environment variables with which git reaches one remote. Key files are in `folder`, which is removed with its
 * workspace.
 */
export async function remoteEnvironment(
  remote: ReachableRemote,
  credential: RemoteCredential | undefined,
  folder: string,
): Promise<Record<string, string>> {
  const env = { GIT_ALLOW_PROTOCOL: remote.protocol, GIT_DIR: folder };
  if (remote.ssh !== undefined) {
    return { ...env, ...(await sshEnvironment(remote.ssh, requireSshKey(credential), folder)) };
  }
  if (credential === undefined || remote.protocol === "file") return env;
  const { username, password } = requireLogin(credential);
  const { askpassFile } = await gitHome();
  return { ...env, GIT_ASKPASS: askpassFile, GIT_REMOTE_USERNAME: username, GIT_REMOTE_PASSWORD: password };
}

async function sshEnvironment(endpoint: SshEndpoint, key: SshKeyCredential, folder: string) {
  const [keyFile, knownHostsFile] = [join(folder, "ssh-key"), join(folder, "ssh-known-hosts")];
  // OpenSSH refuses a key without a line end after its last line.
  await writeFile(keyFile, `${key.privateKey.replaceAll("\r\n", "\n").trim()}\n`, { mode: 0o600 });
  await writeFile(knownHostsFile, `${key.knownHosts.trim()}\n`, { mode: 0o600 });
  const username = endpoint.username ?? key.username ?? "git";
  const options = sshOptions(endpoint, { knownHostsFile, username });
  const words = ["ssh", "-F", "/dev/null", "-T", "-a", "-x", "-i", keyFile, ...options.flatMap((row) => ["-o", row])];
  return { GIT_SSH_COMMAND: words.map(shellWord).join(" "), GIT_SSH_VARIANT: "ssh" };
}

/**
 * Options that ignore this machine's keys, agents and settings, connect to the checked address only, and require a
 * known host key.
 */
function sshOptions(
  { host, port, address }: SshEndpoint,
  { knownHostsFile, username }: { knownHostsFile: string; username: string },
): string[] {
  return [
    `User=${username}`,
    `HostName=${address}`,
    // With an alias ssh does not add the port by itself.
    `HostKeyAlias=${port === "22" ? host : `[${host}]:${port}`}`,
    `UserKnownHostsFile="${knownHostsFile}"`,
    "GlobalKnownHostsFile=/dev/null",
    "StrictHostKeyChecking=yes",
    "CheckHostIP=no",
    "UpdateHostKeys=no",
    "VerifyHostKeyDNS=no",
    "CanonicalizeHostname=no",
    "BatchMode=yes",
    "IdentitiesOnly=yes",
    "IdentityAgent=none",
    "PreferredAuthentications=publickey",
    "PasswordAuthentication=no",
    "KbdInteractiveAuthentication=no",
    "ProxyCommand=none",
    "ControlMaster=no",
    "ControlPath=none",
    "ForwardAgent=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    `ConnectTimeout=${connectTimeoutS}`,
    "LogLevel=ERROR",
  ];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
