import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MadeCertificate } from "./certificate-authority.js";
import { certificateNames, namesOf, type ServiceIdentity, serviceIdentities } from "./service-identity.js";

/** A service's certificate, its key and the authority, as PEM. */
export interface ServiceCertificate {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** All services' certificates. */
export type ServiceCertificates = Readonly<Record<ServiceIdentity, ServiceCertificate>>;

export const dayMs = 86_400_000;
const serviceLifeMs = 730 * dayMs;
const authorityLifeMs = 3650 * dayMs;

/** The certificate authority that all processes in a platform share, as PEM. */
export interface SharedAuthority {
  readonly certificate: string;
  readonly key: string;
  /** Certificates of former authorities. Product certificates that they have signed stay valid. */
  readonly trusted: readonly string[];
}

/** More would no longer be a change from one authority to the next. The oldest ones are left out. */
const mostTrusted = 20;

/**
 * The platform's authority: the shared one, otherwise the one in `folder`, otherwise a new one. An authority is
 * replaced after half its lifetime. The former one and the one in `folder` stay trusted until they end.
 */
export async function agreedAuthority(
  sharedAuthority: SharedAuthority | undefined,
  folder: string,
  now = new Date(),
): Promise<SharedAuthority> {
  const folderAuthority = await ownAuthority(folder);
  const former = sharedAuthority && pairOf(sharedAuthority);
  const keptAuthority = [former, folderAuthority].find((pair) => pair && isFresh(pair, now, authorityLifeMs));
  const { certificate, key } = keptAuthority ?? (await newAuthority(now));
  const first = firstCertificate(certificate);
  const others = [folderAuthority, former].flatMap((pair) => (pair ? [firstCertificate(pair.certificate)] : []));
  const trustedCertificates = [...others, ...(sharedAuthority?.trusted ?? [])].filter(
    (other) => other !== first && new X509Certificate(other).validToDate > now,
  );
  return { certificate: first, key: key.toString(), trusted: [...new Set(trustedCertificates)].slice(0, mostTrusted) };
}

/**
 * Reads or makes a certificate for each service in `folder`, under the shared authority or the folder's. The folder
 * gets a copy. A certificate is replaced at a start after half its lifetime, when it does not belong to its key or
 * authority, or when it lacks a name.
 */
export async function serviceCertificates(
  folder: string,
  now = new Date(),
  sharedAuthority?: SharedAuthority,
): Promise<ServiceCertificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const agreedShared = sharedAuthority ?? (await agreedAuthority(undefined, folder, now));
  const authority = pairOf(agreedShared);
  const bundle = Buffer.from([agreedShared.certificate, ...agreedShared.trusted].join(""));
  await keepAuthority(folder, { certificate: bundle, key: authority.key });
  const entries = await Promise.all(
    serviceIdentities.map(async (identity) => {
      const pair = await keptCertificate({ folder, identity, authority, now });
      return [identity, { authority: bundle, ...pair }] as const;
    }),
  );
  return Object.fromEntries(entries) as Record<ServiceIdentity, ServiceCertificate>;
}

/**
 * Loads the module that makes certificates, where there are none yet. It takes 0.2 s, so a first start does it while it
 * waits for something else.
 */
export async function loadCertificateAuthority(folder: string): Promise<void> {
  if (!existsSync(join(folder, "ca.crt"))) await import("./certificate-authority.js");
}

const pairOf = ({ certificate, key }: SharedAuthority): MadeCertificate => ({
  certificate: Buffer.from(certificate),
  key: Buffer.from(key),
});

/** The authority in the folder. Undefined when there is none whose key belongs to its certificate. */
async function ownAuthority(folder: string): Promise<MadeCertificate | undefined> {
  const pair = await readPair(folder, "ca");
  if (!pair) return undefined;
  const x509 = new X509Certificate(pair.certificate);
  return x509.ca && x509.checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined;
}

async function newAuthority(now: Date): Promise<MadeCertificate> {
  const { makeAuthority } = await import("./certificate-authority.js");
  return makeAuthority({ notBefore: now, notAfter: new Date(now.getTime() + authorityLifeMs) });
}

async function keepAuthority(folder: string, authority: MadeCertificate): Promise<void> {
  const pair = await readPair(folder, "ca");
  const isKept = pair?.certificate.equals(authority.certificate) && pair.key.equals(authority.key);
  if (!isKept) await writePair(folder, "ca", authority);
}

const endOfCertificate = "-----END CERTIFICATE-----";

/** The first certificate. The others are trusted, but do not sign. */
function firstCertificate(certificates: Buffer): string {
  const text = certificates.toString();
  return `${text.slice(0, text.indexOf(endOfCertificate) + endOfCertificate.length)}\n`;
}

interface KeptService {
  readonly folder: string;
  readonly identity: ServiceIdentity;
  readonly authority: MadeCertificate;
  readonly now: Date;
}

async function keptCertificate({ folder, identity, authority, now }: KeptService): Promise<MadeCertificate> {
  const pair = await readPair(folder, identity);
  if (pair && isFresh(pair, now, serviceLifeMs) && isIssued(pair, identity, authority)) return pair;
  const { makeServiceCertificate } = await import("./certificate-authority.js");
  const validity = { notBefore: now, notAfter: new Date(now.getTime() + serviceLifeMs) };
  const newPair = await makeServiceCertificate(namesOf(identity), authority, validity);
  await writePair(folder, identity, newPair);
  return newPair;
}

function isFresh({ certificate, key }: MadeCertificate, now: Date, lifeMs: number): boolean {
  const x509 = new X509Certificate(certificate);
  const leftMs = x509.validToDate.getTime() - now.getTime();
  return leftMs > lifeMs / 2 && x509.validFromDate <= now && x509.checkPrivateKey(createPrivateKey(key));
}

function isIssued({ certificate }: MadeCertificate, identity: ServiceIdentity, authority: MadeCertificate): boolean {
  const x509 = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority.certificate);
  return (
    x509.subjectAltName === certificateNames(identity) && x509.checkIssued(issuer) && x509.verify(issuer.publicKey)
  );
}

/** Reads a certificate and its key. Undefined when either is missing or damaged. */
async function readPair(folder: string, name: string): Promise<MadeCertificate | undefined> {
  try {
    const [certificate, key] = await Promise.all([
      readFile(join(folder, `${name}.crt`)),
      readFile(join(folder, `${name}.key`)),
    ]);
    new X509Certificate(certificate);
    createPrivateKey(key);
    return { certificate, key };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined && code !== "ENOENT") throw error;
    return undefined;
  }
}

/** Writes each file atomically. A certificate and a key that do not belong together are noticed when they are read. */
async function writePair(folder: string, name: string, { certificate, key }: MadeCertificate): Promise<void> {
  await writeWhole(join(folder, `${name}.key`), key, 0o600);
  await writeWhole(join(folder, `${name}.crt`), certificate, 0o644);
}

async function writeWhole(file: string, content: Buffer, mode: number): Promise<void> {
  const temporaryFile = `${file}.${process.pid}`;
  await writeFile(temporaryFile, content, { mode });
  await chmod(temporaryFile, mode);
  await rename(temporaryFile, file);
}
