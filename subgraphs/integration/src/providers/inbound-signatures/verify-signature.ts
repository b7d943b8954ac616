import { createHash, createHmac, createSecretKey, timingSafeEqual, verify } from "node:crypto";
import { hasPublicKeyForm } from "../../ground/standard-webhooks/ed25519-key.js";
import { parseSigningSecret } from "../../ground/standard-webhooks/signing-secret.js";
import { isWebhookId, readSignatures } from "../../ground/standard-webhooks/webhook-signature.js";
import { decodeBase64, decodeBytes, decodeKey } from "./encoded-signature.js";
import { givenSignatures } from "./given-signatures.js";
import { type InboundMessage, isRecent, singleHeader } from "./inbound-message.js";
import { ed25519Key, p256Key } from "./public-keys.js";
import {
  type EcdsaScheme,
  type Ed25519Scheme,
  type HmacScheme,
  type KeyedScheme,
  type SignedContent,
  type StandardWebhooksScheme,
  standardHeaders,
} from "./signature-scheme.js";
import { signedContents } from "./signed-content.js";
import { type SignedTime, timeInHeader } from "./signed-time.js";

/** Whether the message was signed with this secret. The comparison takes constant time. */
type SignatureTest = (secret: string) => boolean;

interface ReadSignature {
  readonly matches: SignatureTest;
  /** Undefined for a scheme without a time. */
  readonly time: SignedTime | undefined;
}

/** A shorter key can be guessed, so that it never verifies. */
const minSecretBytes = 8;
const maxDerBytes = 72;
const ed25519Bytes = 64;
const largeBytes = 64 * 1024;
/** An ed25519 signature over 25 MiB takes about 50 ms to verify, and each one reads the whole body. */
const maxOfLargeBody = 2;

/** A signature that was read once, for each candidate secret. */
export interface PreparedSignature {
  readonly matches: SignatureTest;
  /** Whether its time is at most 300 s from now; true for a scheme without a time. */
  readonly isRecent: boolean;
}

/** Undefined: no secret can verify the message, since its signature is missing, malformed or given twice. */
export function prepareSignature(
  scheme: KeyedScheme,
  message: InboundMessage,
  now: Date,
): PreparedSignature | undefined {
  const signature = readSignature(scheme, message);
  return (
    signature && {
      matches: signature.matches,
      isRecent: signature.time === undefined || isRecent(signature.time.seconds, now),
    }
  );
}

/** Verifies with one secret. Only a message that the secret's owner has signed is called expired. */
export function verifySignature(
  scheme: KeyedScheme,
  message: InboundMessage,
  secret: string,
  now: Date,
): "valid" | "invalid" | "expired" {
  const preparedSignature = prepareSignature(scheme, message, now);
  if (!preparedSignature?.matches(secret)) return "invalid";
  return preparedSignature.isRecent ? "valid" : "expired";
}

function readSignature(scheme: KeyedScheme, message: InboundMessage): ReadSignature | undefined {
  switch (scheme.kind) {
    case "hmac":
      return readHmac(scheme, message);
    case "token":
      return tokenSignature(scheme.header === undefined ? undefined : singleHeader(message, scheme.header));
    case "ecdsa":
      return readEcdsa(scheme, message);
    case "ed25519":
      return readEd25519(scheme, message);
    default:
      return readStandardWebhook(scheme, message);
  }
}

function readHmac(scheme: HmacScheme, message: InboundMessage): ReadSignature | undefined {
  const header = singleHeader(message, scheme.header);
  const parsedSignatures = header === undefined ? undefined : givenSignatures(scheme, message, header);
  if (!parsedSignatures) return undefined;
  const { signatures, time } = parsedSignatures;
  const contents = contentsOf(scheme, message, time);
  return contents && { matches: hmacTest(scheme, contents, signatures), time };
}

function hmacTest(
  { algorithm, keyEncoding = "text" }: HmacScheme,
  contents: readonly Buffer[],
  signatures: readonly Buffer[],
): SignatureTest {
  return (secret) => {
    const key = keyEncoding === "text" ? secret : decodeKey(secret, keyEncoding);
    if (key === undefined || Buffer.byteLength(key) < minSecretBytes) return false;
    const hmacKey = typeof key === "string" ? key : createSecretKey(key);
    let isMatched = false;
    for (const content of contents) {
      const expectedDigest = createHmac(algorithm, hmacKey).update(content).digest();
      for (const signature of signatures) if (timingSafeEqual(signature, expectedDigest)) isMatched = true;
    }
    return isMatched;
  };
}

/** The contents that the vendor may have signed. The id has no dot, so that no part can move to the next part. */
function contentsOf(
  scheme: SignedContent & { readonly bodyHashParameter?: string },
  message: InboundMessage,
  time: SignedTime | undefined,
): Buffer[] | undefined {
  const id = scheme.idHeader === undefined ? undefined : singleHeader(message, scheme.idHeader);
  if (scheme.idHeader !== undefined && !isWebhookId(id ?? "")) return undefined;
  return signedContents(scheme, message, { timestamp: time?.text, id });
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** A text that is the secret itself. */
export function prepareToken(token: string | undefined): PreparedSignature | undefined {
  const signature = tokenSignature(token);
  return signature && { matches: signature.matches, isRecent: true };
}

function tokenSignature(token: string | undefined): ReadSignature | undefined {
  if (token === undefined || token.length < minSecretBytes) return undefined;
  const digest = sha256(token);
  const matches = (secret: string) =>
    Buffer.byteLength(secret) >= minSecretBytes && timingSafeEqual(sha256(secret), digest);
  return { matches, time: undefined };
}

function readStandardWebhook(scheme: StandardWebhooksScheme, message: InboundMessage): ReadSignature | undefined {
  const names = standardHeaders(scheme);
  const id = singleHeader(message, names.id);
  const time = timeInHeader(message, names.timestamp);
  const header = singleHeader(message, names.signature) ?? "";
  const [symmetric, asymmetric] = [readSignatures(header, "v1"), readSignatures(header, "v1a")];
  if (id === undefined || time === undefined || !isWebhookId(id)) return undefined;
  if (symmetric.length + asymmetric.length === 0) return undefined;
  if (message.body.length > largeBytes && asymmetric.length > maxOfLargeBody) return undefined;
  const contents = bodiesOf(message).map((body) => Buffer.concat([Buffer.from(`${id}.${time.text}.`), body]));
  const matches = (secret: string) => {
    if (hasPublicKeyForm(secret)) return isSignedBy(secret, contents, asymmetric);
    const key = parseSigningSecret(secret);
    if (!key) return false;
    const expectedDigests = contents.map((content) => createHmac("sha256", key).update(content).digest());
    return (
      symmetric.filter((signature) => expectedDigests.filter((each) => timingSafeEqual(signature, each)).length > 0)
        .length > 0
    );
  };
  return { matches, time };
}

/** The body as it was sent, and as it was before it was compressed. */
const bodiesOf = ({ body, sentBody }: InboundMessage): readonly Buffer[] =>
  sentBody === undefined ? [body] : [body, sentBody];

function isSignedBy(publicKey: string, contents: readonly Buffer[], signatures: readonly Buffer[]): boolean {
  const key = ed25519Key(publicKey);
  return (
    key !== undefined &&
    contents.some((content) => signatures.some((signature) => verify(null, content, key, signature)))
  );
}

function readEcdsa(scheme: EcdsaScheme, message: InboundMessage): ReadSignature | undefined {
  const signature = decodeBase64(singleHeader(message, scheme.header) ?? "");
  const time = timeInHeader(message, scheme.timestampHeader, scheme.timestampFormat);
  if (!signature || signature.length > maxDerBytes || time === undefined) return undefined;
  const contents = contentsOf(scheme, message, time);
  if (!contents) return undefined;
  const matches = (publicKey: string) => {
    const key = p256Key(publicKey);
    return (
      key !== undefined && contents.some((content) => verify("sha256", content, { key, dsaEncoding: "der" }, signature))
    );
  };
  return { matches, time };
}

function readEd25519(scheme: Ed25519Scheme, message: InboundMessage): ReadSignature | undefined {
  const { header, encoding, timestampHeader, timestampFormat } = scheme;
  const signature = decodeBytes(singleHeader(message, header) ?? "", encoding, ed25519Bytes);
  const time = timestampHeader === undefined ? undefined : timeInHeader(message, timestampHeader, timestampFormat);
  if (!signature || (timestampHeader !== undefined && time === undefined)) return undefined;
  const contents = contentsOf(scheme, message, time);
  return contents && { matches: (key) => isSignedBy(key, contents, [signature]), time };
}
