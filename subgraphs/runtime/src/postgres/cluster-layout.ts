import { createHash } from "node:crypto";
import { chown, lstat, mkdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EnvironmentError } from "../environment/read-environment.js";
import { systemErrorCode } from "../errors/system-error.js";

interface Account {
  uid: number;
  gid: number;
}

export interface ClusterLayout {
  /** The folder that contains all others. */
  home: string;
  clusterDir: string;
  socketDir: string;
  /** The account that PostgreSQL runs as, where it differs from this process's account. */
  account: Account | undefined;
}

// A socket path has at most 104 bytes on macOS, and PostgreSQL appends "/.s.PGSQL.65535.lock".
const maxSocketDirBytes = 80;

/** Decides where a data directory's cluster is stored, and makes its folders. */
export async function prepareClusterLayout(dataDir: string): Promise<ClusterLayout> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const directory = await realpath(dataDir);
  const name = `factory-postgres-${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`;
  // PostgreSQL refuses to run as root, and the other account may have no access to DATA_DIR.
  const account = process.getuid?.() === 0 ? await accountNamed("nobody") : undefined;
  const home = account === undefined ? join(directory, "postgres") : join("/var/tmp", name);
  await ownDirectory(home, account === undefined ? 0o700 : 0o711);

  let socketDir = join(home, "socket");
  if (Buffer.byteLength(socketDir) > maxSocketDirBytes) socketDir = join(tmpdir(), name);
  await ownDirectory(socketDir, 0o700, account);
  return { home, clusterDir: join(home, "cluster"), socketDir, account };
}

/**
 * Creates a folder that no other account can write to. In a world-writable parent another account may own the name.
 */
export async function ownDirectory(path: string, mode: number, account?: Account): Promise<void> {
  await mkdir(path, { mode }).catch((error: unknown) => {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  });
  const stats = await lstat(path);
  const owners = [process.getuid?.(), account?.uid];
  if (!stats.isDirectory() || (stats.mode & 0o022) !== 0 || !owners.includes(stats.uid)) {
    throw new EnvironmentError(
      `${path} belongs to another account, or other accounts can write to it: remove it, then start again`,
    );
  }
  if (account !== undefined) await chown(path, account.uid, account.gid);
}

async function accountNamed(name: string): Promise<Account> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  const fields = lines.map((line) => line.split(":")).find(([account]) => account === name);
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  if (!Number.isInteger(uid) || !Number.isInteger(gid)) {
    throw new EnvironmentError(
      `PostgreSQL does not run as root, and the account "${name}" does not exist: start as an ordinary user`,
    );
  }
  return { uid, gid };
}
