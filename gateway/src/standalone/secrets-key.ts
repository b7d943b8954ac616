import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The key that everything stored secretly is wrapped with: SECRETS_KEY, or in development one kept in DATA_DIR (0600). */
export async function readSecretsKey(given: string | undefined, dataDir: string): Promise<Buffer> {
  return createHash("sha256")
    .update(given ?? (await keptKey(join(dataDir, "secrets.key"))))
    .digest();
}

async function keptKey(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = randomBytes(32).toString("base64url");
  await writeFile(file, `${made}\n`, { mode: 0o600, flag: "wx" });
  return made;
}
