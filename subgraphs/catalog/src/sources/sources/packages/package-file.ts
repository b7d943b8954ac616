import { constants, type FileHandle, open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { reachRemote, type SourcePolicy } from "../../../git/git/remote-policy.js";
import { sourceUnavailable } from "../references/source-failure.js";
import { maxPackedBytes, requirePackedSize } from "../references/source-limits.js";

/** Reads a package from a local folder that the policy allows. Throws SOURCE_UNAVAILABLE and SOURCE_TOO_LARGE. */
export async function readPackageFile(url: string, policy: SourcePolicy): Promise<Buffer> {
  const { url: real } = await reachRemote(url, policy);
  const file = await openFile(fileURLToPath(real));
  try {
    if (!(await file.stat()).isFile()) throw missing();
    // One byte over the limit shows that the file is larger.
    const chunks = await file.createReadStream({ end: maxPackedBytes, autoClose: false }).toArray();
    const bytes = Buffer.concat(chunks as Buffer[]);
    requirePackedSize(bytes.length);
    return bytes;
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    // Links were resolved before the roots were checked. Opening a pipe must not block.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // A caller must not learn whether the file is missing, a folder or forbidden.
    throw missing();
  }
}

const missing = () => sourceUnavailable("The address of the template source has no package file.");
