import { createPrivateKey } from "node:crypto";

const openSshArmour = /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+)-----END OPENSSH PRIVATE KEY-----\s*$/;
const pemArmour = /^-----BEGIN (RSA |EC )?PRIVATE KEY-----/;
const openSshMagic = "openssh-key-v1\0";
const keyType = /^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/;
const hostMarkers = new Set(["@cert-authority", "@revoked"]);

/** True for a private key without a passphrase, in a format that ssh can read. */
export function isSshPrivateKey(text: string): boolean {
  const armorMatch = openSshArmour.exec(text);
  if (armorMatch) return isOpenKey(Buffer.from(armorMatch[1] ?? "", "base64"));
  if (!pemArmour.test(text)) return false;
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}

/** True when the key is not encrypted: the cipher name after the magic bytes is `none` (OpenSSH's PROTOCOL.key). */
function isOpenKey(blob: Buffer): boolean {
  if (blob.subarray(0, openSshMagic.length).toString("latin1") !== openSshMagic) return false;
  return sshString(blob, openSshMagic.length) === "none";
}

/** True for one or more known_hosts entries (sshd(8)), also with hashed names. Blank lines and comments are allowed. */
export function isKnownHosts(text: string): boolean {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const entries = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return entries.length > 0 && entries.every(isHostEntry);
}

function isHostEntry(line: string): boolean {
  const fields = line.split(/[ \t]+/);
  const [, type = "", key = ""] = hostMarkers.has(fields[0] ?? "") ? fields.slice(1) : fields;
  return keyType.test(type) && sshString(Buffer.from(key, "base64"), 0) === type;
}

/** Reads a string (RFC 4251, section 5): four bytes with the length, then the bytes. */
function sshString(blob: Buffer, offset: number): string | undefined {
  if (blob.length < offset + 4) return undefined;
  const end = offset + 4 + blob.readUInt32BE(offset);
  return end > blob.length ? undefined : blob.subarray(offset + 4, end).toString("latin1");
}
