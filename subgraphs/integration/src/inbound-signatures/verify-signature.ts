import { createHash, createHmac, timingSafeEqual, verify } from "node:crypto";
import { parseSigningSecret } from "../standard-webhooks/signing-secret.js";
import { isWebhookId, readSignatures } from "../standard-webhooks/webhook-signature.js";
import { decodeBase64, decodeSignature } from "./encoded-signature.js";
import { type InboundMessage, isRecent, isTimestamp, singleHeader } from "./inbound-message.js";
import { p256Key } from "./p256-key.js";
import type { EcdsaScheme, HmacScheme, KeyedScheme } from "./signature-scheme.js";
import { signedContents } from "./signed-content.js";

/** Whether the message was signed with this secret. The comparison takes constant time. */
export type SignatureTest = (secret: string) => boolean;

interface ReadSignature {
  readonly matches: SignatureTest;
  /** In seconds since 1970; undefined for a scheme without a time. */
  readonly timestamp: string | undefined;
}

/** A shorter key can be guessed, so that it never verifies. */
const minSecretBytes = 8;
const maxFields = 64;
const maxDerBytes = 72;

/**
 * Reads the signature once and returns the test for each candidate secret. Undefined: no secret can verify the message,
 * since its signature is missing, malformed, given twice, or older or newer than 300 s.
 */
export function prepareSignature(scheme: KeyedScheme, message: InboundMessage, now: Date): SignatureTest | undefined {
  const read = readSignature(scheme, message);
  if (!read) return undefined;
  return read.timestamp === undefined || isRecent(Number(read.timestamp), now) ? read.matches : undefined;
}

/** Verifies with one secret. Only a message that the owner of the secret has signed is called expired. */
export function verifySignature(
  scheme: KeyedScheme,
  message: InboundMessage,
  secret: string,
  now: Date,
): "valid" | "invalid" | "expired" {
  const read = readSignature(scheme, message);
  if (!read?.matches(secret)) return "invalid";
  return read.timestamp === undefined || isRecent(Number(read.timestamp), now) ? "valid" : "expired";
}

function readSignature(scheme: KeyedScheme, message: InboundMessage): ReadSignature | undefined {
  if (scheme.kind === "hmac") return readHmac(scheme, message);
  if (scheme.kind === "token") return readToken(scheme.header, message);
  return scheme.kind === "ecdsa" ? readEcdsa(scheme, message) : readStandardWebhook(message);
}

function readHmac(scheme: HmacScheme, message: InboundMessage): ReadSignature | undefined {
  const header = singleHeader(message, scheme.header);
  const given = header === undefined ? undefined : signaturesOf(scheme, message, header);
  if (!given || (given.timestamp !== undefined && !isTimestamp(given.timestamp))) return undefined;
  const { signatures, timestamp } = given;
  const contents = signedContents(scheme, message, timestamp);
  return contents && { matches: hmacTest(scheme.algorithm, contents, signatures), timestamp };
}

function hmacTest(algorithm: string, contents: readonly Buffer[], signatures: readonly Buffer[]): SignatureTest {
  return (secret) => {
    if (Buffer.byteLength(secret) < minSecretBytes) return false;
    let found = false;
    for (const content of contents) {
      const expected = createHmac(algorithm, secret).update(content).digest();
      for (const signature of signatures) if (timingSafeEqual(signature, expected)) found = true;
    }
    return found;
  };
}

interface GivenSignatures {
  readonly signatures: readonly Buffer[];
  readonly timestamp: string | undefined;
}

function signaturesOf(scheme: HmacScheme, message: InboundMessage, header: string): GivenSignatures | undefined {
  const { prefix = "", timestampHeader, fields } = scheme;
  const decode = (text: string) =>
    text.startsWith(prefix) ? decodeSignature(text.slice(prefix.length), scheme) : undefined;
  if (fields) return listedSignatures(header, fields, decode);
  const signature = decode(header);
  if (!signature) return undefined;
  if (timestampHeader === undefined) return { signatures: [signature], timestamp: undefined };
  const timestamp = singleHeader(message, timestampHeader);
  return timestamp === undefined ? undefined : { signatures: [signature], timestamp };
}

/** The members of a header like `t=1700000000,v1=…,v1=…`. Members with other names belong to other versions. */
function listedSignatures(
  header: string,
  fields: NonNullable<HmacScheme["fields"]>,
  decode: (text: string) => Buffer | undefined,
): GivenSignatures | undefined {
  const members = header.split(",", maxFields + 1).map((member) => {
    const at = member.indexOf("=");
    return { name: member.slice(0, Math.max(at, 0)).trim(), value: member.slice(at + 1).trim() };
  });
  const timestamps = members.filter(({ name }) => name === fields.timestamp);
  const signatures = members.filter(({ name }) => name === fields.signature).map(({ value }) => decode(value));
  const known = signatures.filter((signature) => signature !== undefined);
  const timestamp = timestamps[0]?.value;
  if (members.length > maxFields || timestamps.length !== 1 || !timestamp) return undefined;
  return known.length === 0 || known.length < signatures.length ? undefined : { signatures: known, timestamp };
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

function readToken(name: string, message: InboundMessage): ReadSignature | undefined {
  const header = singleHeader(message, name);
  if (header === undefined || header.length < minSecretBytes) return undefined;
  const given = sha256(header);
  const matches = (secret: string) =>
    Buffer.byteLength(secret) >= minSecretBytes && timingSafeEqual(sha256(secret), given);
  return { matches, timestamp: undefined };
}

function readStandardWebhook(message: InboundMessage): ReadSignature | undefined {
  const id = singleHeader(message, "webhook-id");
  const timestamp = singleHeader(message, "webhook-timestamp");
  const signatures = readSignatures(singleHeader(message, "webhook-signature") ?? "", "v1");
  if (id === undefined || timestamp === undefined || !isWebhookId(id) || !isTimestamp(timestamp)) return undefined;
  if (signatures.length === 0) return undefined;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), message.body]);
  const matches = (secret: string) => {
    const key = parseSigningSecret(secret);
    if (!key) return false;
    const expected = createHmac("sha256", key).update(content).digest();
    return signatures.filter((signature) => timingSafeEqual(signature, expected)).length > 0;
  };
  return { matches, timestamp };
}

function readEcdsa(scheme: EcdsaScheme, message: InboundMessage): ReadSignature | undefined {
  const signature = decodeBase64(singleHeader(message, scheme.header) ?? "");
  const timestamp = singleHeader(message, scheme.timestampHeader);
  if (!signature || signature.length > maxDerBytes || timestamp === undefined || !isTimestamp(timestamp))
    return undefined;
  const [content] = signedContents(scheme, message, timestamp) ?? [];
  if (!content) return undefined;
  const matches = (publicKey: string) => {
    const key = p256Key(publicKey);
    return key !== undefined && verify("sha256", content, { key, dsaEncoding: "der" }, signature);
  };
  return { matches, timestamp };
}
