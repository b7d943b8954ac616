import { randomBytes, type webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import type { CertificateName } from "./service-identity.js";

/** A certificate and its PKCS #8 key, as PEM. */
export interface MadeCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const { subtle } = globalThis.crypto;

/** Makes a certificate authority that can sign service certificates, but no further authority. */
export async function makeAuthority(validity: Validity): Promise<MadeCertificate> {
  const keys = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    // A unique name, since authorities with the same name differ by their keys only.
    name: `CN=factory platform ${randomBytes(4).toString("hex")}`,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pem(certificate, keys.privateKey);
}

/** Makes a certificate for both server and client authentication. */
export async function makeServiceCertificate(
  names: readonly CertificateName[],
  authority: MadeCertificate,
  validity: Validity,
): Promise<MadeCertificate> {
  const issuer = new X509Certificate(authority.certificate.toString());
  const [issuerKey, keys] = await Promise.all([
    subtle.importKey("pkcs8", PemConverter.decodeFirst(authority.key.toString()), algorithm, false, ["sign"]),
    subtle.generateKey(algorithm, true, ["sign", "verify"]),
  ]);
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: serialNumber(),
    subject: `CN=${names[0]?.value}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: issuerKey,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([...names]),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pem(certificate, keys.privateKey);
}

/** A positive, unique serial number (RFC 5280, section 4.1.2.2). */
function serialNumber(): string {
  return `01${randomBytes(15).toString("hex")}`;
}

async function pem(certificate: X509Certificate, privateKey: webcrypto.CryptoKey): Promise<MadeCertificate> {
  const key = PemConverter.encode(await subtle.exportKey("pkcs8", privateKey), PemConverter.PrivateKeyTag);
  return { certificate: Buffer.from(`${certificate.toString("pem")}\n`), key: Buffer.from(`${key}\n`) };
}
