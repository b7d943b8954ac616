import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MadeCertificate } from "./certificate-authority.js";
import { certificateNames, namesOf, type ServiceIdentity, serviceIdentities } from "./service-identity.js";

/** The certificate of a service, its key and the authority, as PEM. */
export interface ServiceCertificate {
  readonly authority: Buffer;
  readonly certificate: Buffer;
  readonly key: Buffer;
}

/** The certificates of all services. */
export type ServiceCertificates = Readonly<Record<ServiceIdentity, ServiceCertificate>>;

export const dayMs = 86_400_000;
const serviceLifeMs = 730 * dayMs;
const authorityLifeMs = 3650 * dayMs;

/** The certificate authority that all processes of a platform share, as PEM. */
export interface SharedAuthority {
  readonly certificate: string;
  readonly key: string;
  /** Certificates of former authorities. Certificates of products that they have signed stay valid. */
  readonly trusted: readonly string[];
}

/** More would be no change of authorities any more. The oldest ones are left out. */
const mostTrusted = 20;

/**
 * The authority of the platform: the shared one, otherwise that of `folder`, otherwise a new one. An authority is
 * replaced when half of its lifetime is over. The former one and that of `folder` stay trusted until they end.
 */
export async function agreedAuthority(
  shared: SharedAuthority | undefined,
  folder: string,
  now = new Date(),
): Promise<SharedAuthority> {
  const own = await ownAuthority(folder);
  const former = shared && pairOf(shared);
  const kept = [former, own].find((one) => one && isFresh(one, now, authorityLifeMs));
  const { certificate, key } = kept ?? (await newAuthority(now));
  const first = firstCertificate(certificate);
  const others = [own, former].flatMap((one) => (one ? [firstCertificate(one.certificate)] : []));
  const trusted = [...others, ...(shared?.trusted ?? [])].filter(
    (other) => other !== first && new X509Certificate(other).validToDate > now,
  );
  return { certificate: first, key: key.toString(), trusted: [...new Set(trusted)].slice(0, mostTrusted) };
}

/**
 * Reads or makes a certificate for each service in `folder`, under the shared authority or that of the folder. The folder
 * gets a copy of the authority. A certificate is replaced at a start when half of its lifetime is over, when it does not
 * belong to its key or authority, or when it lacks a name.
 */
export async function serviceCertificates(
  folder: string,
  now = new Date(),
  shared?: SharedAuthority,
): Promise<ServiceCertificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const agreed = shared ?? (await agreedAuthority(undefined, folder, now));
  const authority = pairOf(agreed);
  const bundle = Buffer.from([agreed.certificate, ...agreed.trusted].join(""));
  await keepAuthority(folder, { certificate: bundle, key: authority.key });
  const entries = await Promise.all(
    serviceIdentities.map(async (identity) => {
      const own = await keptCertificate({ folder, identity, authority, now });
      return [identity, { authority: bundle, ...own }] as const;
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
  const own = await readPair(folder, "ca");
  if (!own) return undefined;
  const read = new X509Certificate(own.certificate);
  return read.ca && read.checkPrivateKey(createPrivateKey(own.key)) ? own : undefined;
}

async function newAuthority(now: Date): Promise<MadeCertificate> {
  const { makeAuthority } = await import("./certificate-authority.js");
  return makeAuthority({ notBefore: now, notAfter: new Date(now.getTime() + authorityLifeMs) });
}

async function keepAuthority(folder: string, authority: MadeCertificate): Promise<void> {
  const kept = await readPair(folder, "ca");
  const isKept = kept?.certificate.equals(authority.certificate) && kept.key.equals(authority.key);
  if (!isKept) await writePair(folder, "ca", authority);
}

const endOfCertificate = "-----END CERTIFICATE-----";

/** The first certificate of several. The others are trusted, but do not sign. */
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
  const kept = await readPair(folder, identity);
  if (kept && isFresh(kept, now, serviceLifeMs) && isIssued(kept, identity, authority)) return kept;
  const { makeServiceCertificate } = await import("./certificate-authority.js");
  const validity = { notBefore: now, notAfter: new Date(now.getTime() + serviceLifeMs) };
  const made = await makeServiceCertificate(namesOf(identity), authority, validity);
  await writePair(folder, identity, made);
  return made;
}

function isFresh({ certificate, key }: MadeCertificate, now: Date, lifeMs: number): boolean {
  const read = new X509Certificate(certificate);
  const leftMs = read.validToDate.getTime() - now.getTime();
  return leftMs > lifeMs / 2 && read.validFromDate <= now && read.checkPrivateKey(createPrivateKey(key));
}

function isIssued({ certificate }: MadeCertificate, identity: ServiceIdentity, authority: MadeCertificate): boolean {
  const read = new X509Certificate(certificate);
  const issuer = new X509Certificate(authority.certificate);
  return (
    read.subjectAltName === certificateNames(identity) && read.checkIssued(issuer) && read.verify(issuer.publicKey)
  );
}

/** Reads a certificate and its key. Undefined when one of them is missing or damaged. */
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
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, content, { mode });
  await chmod(unfinished, mode);
  await rename(unfinished, file);
}
