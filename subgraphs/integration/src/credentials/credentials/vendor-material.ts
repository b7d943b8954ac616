import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { rawPublicKeyOf } from "../../ground/standard-webhooks/ed25519-key.js";

/** 32 bytes in hexadecimal digits or in base64. */
const ed25519Bytes = /^(?:[0-9A-Fa-f]{64}|[A-Za-z0-9+/]{43}=)$/;

/** True for a PEM private key without a passphrase. */
export function isPrivateKey(text: string): boolean {
  if (!text.includes("PRIVATE KEY-----")) return false;
  return reads(() => createPrivateKey(text));
}

/**
 * True for a PEM public key, one in DER as base64, as SendGrid shows it, and an Ed25519 key as `whpk_…` or its 32
 * bytes.
 */
export function isPublicKey(text: string): boolean {
  if (text.includes("PRIVATE KEY-----")) return false;
  if (rawPublicKeyOf(text) !== undefined || ed25519Bytes.test(text)) return true;
  if (text.startsWith("-----BEGIN")) return reads(() => createPublicKey(text));
  return reads(() => createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" }));
}

/** True for one or more PEM certificates. */
export function areCertificates(text: string): boolean {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => reads(() => new X509Certificate(block)));
}

/** True when the first certificate has the public key that belongs to the private key. */
export function isKeyOfCertificate(certificates: string, privateKey: string): boolean {
  return reads(() => {
    const matches = new X509Certificate(certificates).checkPrivateKey(createPrivateKey(privateKey));
    if (!matches) throw new Error("The key belongs to another certificate");
  });
}

/** The time at which the first certificate expires. */
export const certificateExpiry = (certificates: string): Date =>
  // a Date from this realm, which the ORM recognizes in tests too
  new Date(new X509Certificate(certificates).validToDate.getTime());

function reads(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
