import { constants, type FileHandle, open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { reachRemote, type SourcePolicy } from "../../git/remote-policy.js";
import { sourceUnavailable } from "../references/source-failure.js";
import { maxPackedBytes, requirePackedSize } from "../references/source-limits.js";

/** Reads a package from a local folder that the policy allows. */
export async function readPackageFile(url: string, policy: SourcePolicy): Promise<Buffer> {
  const { url: real } = await reachRemote(url, policy);
  const file = await openFile(fileURLToPath(real));
  try {
    if (!(await file.stat()).isFile()) throw missing();
    // one byte over the limit tells that there is more
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
    // links were resolved before the roots were compared; a pipe must not hold us
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // whether it is missing, a folder or forbidden is nothing a caller may find out
    throw missing();
  }
}

const missing = () => sourceUnavailable("There is no package file at this address.");
