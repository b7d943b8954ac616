import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const contents = z.object({ issuer: z.string(), clientId: z.string(), clientSecret: z.string() });
/** The contents in `bootstrap.json`. */
type BootstrapFile = z.infer<typeof contents>;

/**
 * Writes `bootstrap.json` (mode 0600) for the platform administrator and returns its path. The same client's file keeps
 * its secret and gets the current issuer. A missing or unreadable file, or another client's, is written anew.
 */
export async function writeBootstrapFile(dataDir: string, current: BootstrapFile): Promise<string> {
  const file = join(dataDir, "bootstrap.json");
  const formerFile = await readBootstrapFile(file);
  const sameClient = formerFile?.clientId === current.clientId;
  if (sameClient && formerFile.issuer === current.issuer) return file;
  const next = sameClient ? { ...formerFile, issuer: current.issuer } : current;
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
