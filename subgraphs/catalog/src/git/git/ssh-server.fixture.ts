import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { SshKeyCredential } from "./remote-credential.js";

const sshdPath = "/usr/sbin/sshd";

/** Whether this machine has what the fixture starts. */
export const hasSshServer = existsSync(sshdPath);

/** A real sshd on loopback that lets one key run git commands as the user of the tests. */
export class SshServer {
  readonly #process: ChildProcess;

  private constructor(
    readonly folder: string,
    readonly port: number,
    process: ChildProcess,
  ) {
    this.#process = process;
  }

  static async start(): Promise<SshServer> {
    const folder = await mkdtemp(join(tmpdir(), "catalog-test-ssh-"));
    const port = await freePort();
    makeKey(join(folder, "host-key"));
    makeKey(join(folder, "user-key"));
    await writeFile(join(folder, "run.sh"), recording(folder), { mode: 0o755 });
    const userKey = await readFile(join(folder, "user-key.pub"), "utf8");
    await writeFile(join(folder, "authorized_keys"), `command="${join(folder, "run.sh")}" ${userKey}`);
    await writeFile(join(folder, "sshd_config"), configuration(folder, port));
    // started by root, sshd wants this folder from its packages
    if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
    const sshd = spawn(sshdPath, ["-D", "-e", "-f", join(folder, "sshd_config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await listening(sshd);
    return new SshServer(folder, port, sshd);
  }

  /** Address of a repository folder. */
  url(folder: string, host = "127.0.0.1"): string {
    return `ssh://${userInfo().username}@${host}:${this.port}${folder}`;
  }

  /** The key that is let in; hosts are known by name and port. */
  async credential(host = "127.0.0.1"): Promise<SshKeyCredential> {
    const privateKey = await readFile(join(this.folder, "user-key"), "utf8");
    const hostKey = await readFile(join(this.folder, "host-key.pub"), "utf8");
    return { kind: "sshKey", privateKey, knownHosts: `[${host}]:${this.port} ${hostKey}` };
  }

  /** The commands that clients sent, and all command lines of the machine at that time. */
  async seen(): Promise<string> {
    const log = join(this.folder, "seen");
    await appendFile(log, "");
    return readFile(log, "utf8");
  }

  async stop(): Promise<void> {
    const whenClosed = new Promise((resolve) => this.#process.once("close", resolve));
    this.#process.kill();
    await whenClosed;
    await rm(this.folder, { recursive: true });
  }
}

/** A new key pair: the private key in `file`, the public one beside it. */
export function makeKey(file: string): void {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", file]);
}

const recording = (folder: string) => `#!/bin/sh
printf 'command: %s\\n' "$SSH_ORIGINAL_COMMAND" >> '${folder}/seen'
ps -eo args >> '${folder}/seen'
exec sh -c "$SSH_ORIGINAL_COMMAND"
`;

const configuration = (folder: string, port: number) => `Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder}/host-key
AuthorizedKeysFile ${folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
AcceptEnv GIT_PROTOCOL
`;

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function listening(sshd: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errorOutput = "";
    sshd.stderr?.on("data", (chunk: Buffer) => {
      errorOutput += chunk.toString();
      if (errorOutput.includes("Server listening")) resolve();
    });
    sshd.once("error", reject);
    sshd.once("close", () => reject(new Error(`sshd ended: ${errorOutput}`)));
  });
}
