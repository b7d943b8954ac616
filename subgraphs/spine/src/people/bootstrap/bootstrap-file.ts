import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const contents = z.object({ issuer: z.string(), clientId: z.string(), clientSecret: z.string() });
/** The contents of `bootstrap.json`. */
type BootstrapFile = z.infer<typeof contents>;

/**
 * Writes `bootstrap.json` (mode 0600) for the platform administrator and returns its path. A file of the same client keeps
 * its secret and gets the current issuer. A file that is missing, unreadable or of another client is written anew.
 */
export async function writeBootstrapFile(dataDir: string, current: BootstrapFile): Promise<string> {
  const file = join(dataDir, "bootstrap.json");
  const known = await readBootstrapFile(file);
  const sameClient = known?.clientId === current.clientId;
  if (sameClient && known.issuer === current.issuer) return file;
  const next = sameClient ? { ...known, issuer: current.issuer } : current;
  // written beside and renamed, so that it is never half-written and never readable by others
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
  return file;
}

async function readBootstrapFile(file: string): Promise<BootstrapFile | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return contents.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
