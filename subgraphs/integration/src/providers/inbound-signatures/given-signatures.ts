import type { TimeFormat } from "@factory/schema/vocabularies/signatures";
import { decodeSignature } from "./encoded-signature.js";
import type { InboundMessage } from "./inbound-message.js";
import { type HmacScheme, separators } from "./signature-scheme.js";
import { type SignedTime, signedTime, timeInHeader } from "./signed-time.js";

const maxFields = 64;

interface GivenSignatures {
  readonly signatures: readonly Buffer[];
  readonly time: SignedTime | undefined;
}

type Decode = (text: string) => Buffer | undefined;

/** The signatures in an HMAC header and their time; undefined where a signature is malformed or the time is missing. */
export function givenSignatures(
  scheme: HmacScheme,
  message: InboundMessage,
  header: string,
): GivenSignatures | undefined {
  const { prefix = "", separator, timestampHeader, timestampFormat, fields } = scheme;
  const decode = (text: string) =>
    text.startsWith(prefix) ? decodeSignature(text.slice(prefix.length), scheme) : undefined;
  const listedParts = fields
    ? listedSignatures(header, fields, { decode, timestampFormat })
    : separatedSignatures(header, { separator, prefix, decode });
  if (!listedParts || timestampHeader === undefined) return listedParts;
  const time = timeInHeader(message, timestampHeader, timestampFormat);
  return time && { ...listedParts, time };
}

/** One signature, or several with a character between them. Those without the prefix belong to other versions. */
function separatedSignatures(
  header: string,
  { separator, prefix, decode }: { separator: HmacScheme["separator"]; prefix: string; decode: Decode },
): GivenSignatures | undefined {
  const parts =
    separator === undefined ? [header] : header.split(separators[separator], maxFields + 1).map((part) => part.trim());
  const matchingParts = separator === undefined ? parts : parts.filter((part) => part.startsWith(prefix));
  return parts.length > maxFields ? undefined : wellFormed(matchingParts.map(decode), undefined);
}

/** The members in a header like `t=1700000000,v1=…,v1=…`. Members with other names belong to other versions. */
function listedSignatures(
  header: string,
  fields: NonNullable<HmacScheme["fields"]>,
  { decode, timestampFormat }: { timestampFormat: TimeFormat | undefined; decode: Decode },
): GivenSignatures | undefined {
  const members = header.split(",", maxFields + 1).map((member) => {
    const at = member.indexOf("=");
    return { name: member.slice(0, Math.max(at, 0)).trim(), value: member.slice(at + 1).trim() };
  });
  if (members.length > maxFields) return undefined;
  const signatures = members.filter(({ name }) => name === fields.signature).map(({ value }) => decode(value));
  if (fields.timestamp === undefined) return wellFormed(signatures, undefined);
  const times = members.filter(({ name }) => name === fields.timestamp);
  const time = signedTime(times[0]?.value ?? "", timestampFormat);
  return time === undefined || times.length > 1 ? undefined : wellFormed(signatures, time);
}

function wellFormed(
  signatures: readonly (Buffer | undefined)[],
  time: SignedTime | undefined,
): GivenSignatures | undefined {
  const decodedSignatures = signatures.filter((signature) => signature !== undefined);
  return decodedSignatures.length === 0 || decodedSignatures.length < signatures.length
    ? undefined
    : { signatures: decodedSignatures, time };
}
