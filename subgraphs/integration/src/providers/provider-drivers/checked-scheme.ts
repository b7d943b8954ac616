import { jwsAlgorithms, signatureKinds } from "@factory/schema/vocabularies/signatures";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
import { type SignatureScheme } from "../inbound-signatures/signature-scheme.js";
import type { DriverProblems } from "./driver-problems.js";

/** The members in a scheme's input, without null values. */
export type GivenScheme = Readonly<Record<string, unknown>> & { readonly kind: string };

interface Member {
  readonly required: boolean;
}
const requiredMember = { required: true };
const optional = { required: false };

/** Each kind's members beside `kind` itself. */
const membersOf: Record<SignatureScheme["kind"], Readonly<Record<string, Member>>> = {
  hmac: {
    algorithm: requiredMember,
    header: requiredMember,
    encoding: requiredMember,
    keyEncoding: optional,
    prefix: optional,
    separator: optional,
    idHeader: optional,
    timestampHeader: optional,
    timestampFormat: optional,
    fields: optional,
    signedContent: optional,
    bodyHashParameter: optional,
  },
  token: { header: optional, value: optional },
  "standard-webhooks": { idHeader: optional, timestampHeader: optional, header: optional },
  ecdsa: {
    header: requiredMember,
    idHeader: optional,
    timestampHeader: requiredMember,
    timestampFormat: optional,
    signedContent: optional,
  },
  ed25519: {
    header: requiredMember,
    encoding: requiredMember,
    idHeader: optional,
    timestampHeader: optional,
    timestampFormat: optional,
    signedContent: optional,
  },
  jws: { header: optional, algorithms: optional, jwksUrl: requiredMember },
};

const defaults: Partial<Record<SignatureScheme["kind"], object>> = {
  hmac: { signedContent: "{body}" },
  ecdsa: { signedContent: "{timestamp}{body}" },
  ed25519: { signedContent: "{timestamp}{body}" },
  jws: { header: "x-jws-signature", algorithms: valuesOf(jwsAlgorithms) },
};

/** The scheme with its defaults and with header names in lower case. Problems are reported at the pointer. */
export function checkedScheme(input: GivenScheme, pointer: string, problems: DriverProblems): SignatureScheme {
  const kind = signatureKinds.find((candidate) => candidate === input.kind);
  problems.oneOf(`${pointer}/kind`, input.kind, signatureKinds);
  if (kind === undefined) return { kind: "standard-webhooks" };
  const members = membersOf[kind];
  for (const name of Object.keys(input))
    if (name !== "kind" && members[name] === undefined)
      problems.refuse(`${pointer}/${name}`, `A scheme of the kind ${kind} has no such member.`);
  for (const [name, member] of Object.entries(members))
    if (member.required && input[name] === undefined)
      problems.refuse(`${pointer}/${name}`, `A scheme of the kind ${kind} needs this member.`, "REQUIRED");
  const scheme = {
    ...defaults[kind],
    ...input,
    ...lowerCase(input, "header"),
    ...lowerCase(input, "idHeader"),
    ...lowerCase(input, "timestampHeader"),
  };
  checkValues(scheme as GivenScheme, pointer, problems);
  return scheme as unknown as SignatureScheme;
}

function lowerCase(input: GivenScheme, name: string): object {
  const value = input[name];
  return typeof value === "string" ? { [name]: value.toLowerCase() } : {};
}

function checkValues(scheme: GivenScheme, pointer: string, problems: DriverProblems): void {
  const { kind, signedContent } = scheme;
  if (kind === "token" && (scheme["header"] === undefined) === (scheme["value"] === undefined))
    problems.refuse(`${pointer}/header`, "A token stands either in a header or at a value of the body.", "REQUIRED");
  if (typeof signedContent === "string") checkContent(signedContent, scheme, pointer, problems);
}

const placeholder = /\{(body|timestamp|id|url|form)\}/g;

/** The content must cover the body, and the time exactly where the scheme has a time. */
function checkContent(content: string, scheme: GivenScheme, pointer: string, problems: DriverProblems): void {
  const at = `${pointer}/signedContent`;
  const names = [...content.matchAll(placeholder)].map(([, name]) => name);
  const has = (name: string) => names.includes(name);
  if (/[{}]/.test(content.replaceAll(placeholder, "")))
    problems.refuse(at, "The placeholders are {body}, {timestamp}, {id}, {url} and {form}.", "UNKNOWN_VALUE");
  if (new Set(names).size < names.length) problems.refuse(at, "A placeholder may occur once.", "DUPLICATE");
  if (!has("body") && !(has("url") && has("form")))
    problems.refuse(at, "The content must contain {body}, or {url} and {form}.");
  if ((scheme["idHeader"] !== undefined) !== has("id"))
    problems.refuse(at, "The content must contain {id} if the scheme has an idHeader, and only then.");
  if (scheme["bodyHashParameter"] !== undefined && !has("url"))
    problems.refuse(`${pointer}/bodyHashParameter`, "The content must contain {url}.");
  checkTime(scheme, has("timestamp"), pointer, problems);
}

/** The time is signed, and stands in one place. */
function checkTime(scheme: GivenScheme, isSigned: boolean, pointer: string, problems: DriverProblems): void {
  const { timestampHeader, timestampFormat, fields, separator } = scheme;
  const { timestamp } = (fields ?? {}) as { timestamp?: string };
  const isTimed = timestampHeader !== undefined || timestamp !== undefined;
  if (isTimed !== isSigned)
    problems.refuse(
      `${pointer}/signedContent`,
      "The content must contain {timestamp} if the scheme has a time, and only then.",
    );
  if (timestampHeader !== undefined && timestamp !== undefined)
    problems.refuse(`${pointer}/fields`, "The time stands either in a header of its own or in the fields.");
  if (separator !== undefined && fields !== undefined)
    problems.refuse(`${pointer}/separator`, "Fields have commas between them.");
  if (timestampFormat !== undefined && !isTimed)
    problems.refuse(`${pointer}/timestampFormat`, "The scheme has no time.");
}
