import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import type { CredentialKind } from "@factory/schema/vocabularies/credentials";
import { canSign, signingSecretForm } from "../../ground/standard-webhooks/signing-secret.js";
import type { SecretMaterial } from "./secret-store.js";
import { isKnownHosts, isSshPrivateKey } from "./ssh-material.js";
import {
  areCertificates,
  certificateExpiry,
  isKeyOfCertificate,
  isPrivateKey,
  isPublicKey,
} from "./vendor-material.js";

interface Member {
  readonly optional?: true;
  readonly fits: (value: string) => boolean;
  /** The error detail. It must not repeat the value, which is a secret. */
  readonly detail: string;
}

const maxSecretCharacters = 64 * 1024;
const text = { fits: (value: string) => value !== "", detail: "The value must be a string that is not empty." };
const jwtAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** The name becomes an argument of ssh, so it must not begin with a hyphen. */
const sshUser = /^[A-Za-z0-9._][A-Za-z0-9._@+-]{0,99}$/;

const optional = (member: Member): Member => ({ ...member, optional: true });
const privateKey = {
  fits: isPrivateKey,
  detail: "The value must be a private key as PEM (PKCS #8, PKCS #1 or SEC 1) without a passphrase.",
};

/** The members that each kind requires. More members are allowed and stored. Custom requires none. */
const members: Record<CredentialKind, Readonly<Record<string, Member>>> = {
  WebhookSigning: {
    signingSecret: {
      fits: isSigningSecret,
      detail: `The value must be ${signingSecretForm}.`,
    },
  },
  Basic: {
    // RFC 7617 section 2: the first colon ends the user-id
    username: {
      fits: (value) => value !== "" && !value.includes(":"),
      detail: "The value must be a user name that is not empty and has no colon.",
    },
    password: text,
  },
  BearerToken: {
    token: {
      fits: (value) => /^[\w.~+/-]+=*$/.test(value),
      detail:
        "The value must be a bearer token as in RFC 6750, section 2.1: letters, digits and -._~+/, with = only at the end.",
    },
  },
  SshKey: {
    username: {
      optional: true,
      fits: (value) => sshUser.test(value),
      detail:
        'The value must be a login name of at most 100 characters: letters, digits and ._@+-. Without it, "git" is used.',
    },
    privateKey: {
      fits: isSshPrivateKey,
      detail:
        "The value must be a private key without a passphrase, in OpenSSH format or as PEM of PKCS #8, PKCS #1 or SEC 1.",
    },
    knownHosts: {
      fits: isKnownHosts,
      detail:
        "The value must contain lines of a known_hosts file. Each line has the host names, the key type and the key.",
    },
  },
  OAuth2Client: {
    clientId: text,
    clientSecret: optional(text),
    privateKey: optional(privateKey),
    keyId: optional(text),
  },
  JwtBearer: {
    issuer: text,
    subject: optional(text),
    audience: optional(text),
    privateKey,
    keyId: optional(text),
    algorithm: {
      optional: true,
      fits: (value) => jwtAlgorithms.includes(value),
      detail: `The value must be one of ${jwtAlgorithms.join(", ")}.`,
    },
  },
  HmacSignature: { keyId: optional(text), secret: text },
  MutualTls: {
    certificate: { fits: areCertificates, detail: "The value must be a certificate as PEM, with its chain if needed." },
    privateKey,
    ca: { optional: true, fits: areCertificates, detail: "The value must be certificates as PEM." },
  },
  VendorWebhookSecret: {
    secret: optional(text),
    publicKey: {
      optional: true,
      fits: isPublicKey,
      detail:
        "The value must be a public key as PEM, in DER (SubjectPublicKeyInfo) as base64, or of Ed25519 as whpk_ or as 32 bytes in hex or base64.",
    },
  },
  ApiKey: { apiKey: optional(text), key: optional(text), token: optional(text) },
  Custom: {},
};

interface Alternatives {
  readonly names: readonly string[];
  /** How many must be given at least, and may be given at most. */
  readonly least: number;
  readonly most: number;
}

/** Kinds that need only some of their members. */
const alternatives: Partial<Record<CredentialKind, Alternatives>> = {
  // A public client, whose driver has the clientAuthentication none, has neither (RFC 6749, section 2.1).
  OAuth2Client: { names: ["clientSecret", "privateKey"], least: 0, most: 1 },
  VendorWebhookSecret: { names: ["secret", "publicKey"], least: 1, most: 1 },
  ApiKey: { names: ["apiKey", "key", "token"], least: 1, most: 3 },
};

export function checkMaterial(kind: CredentialKind, secret: SecretMaterial): void {
  const errors = problemsOf(kind, secret);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The secret does not have the members that its kind requires. The list of errors names each of them.",
      errors,
    });
}

function problemsOf(kind: CredentialKind, secret: SecretMaterial): FieldError[] {
  const pointer = "/input/secret";
  if (Object.keys(secret).length === 0)
    return [{ pointer, code: "TOO_SHORT", detail: "The secret must have at least one member." }];
  if (JSON.stringify(secret).length > maxSecretCharacters)
    return [
      { pointer, code: "TOO_LONG", detail: `The secret must have at most ${maxSecretCharacters} characters as JSON.` },
    ];
  const memberProblems = Object.entries(members[kind]).flatMap(([name, { optional, fits, detail }]) => {
    const value = Object.hasOwn(secret, name) ? secret[name] : undefined;
    if (value === undefined && optional) return [];
    return typeof value === "string" && fits(value) ? [] : [{ pointer: `${pointer}/${name}`, code: "FORMAT", detail }];
  });
  if (kind === "Custom") return memberProblems;
  const whole = memberProblems.length > 0 ? [] : wholeProblems(kind, secret, pointer);
  return [...memberProblems, ...whole, ...hostsProblems(secret["hosts"], `${pointer}/hosts`)];
}

/** Problems with members together, when each fits by itself. */
function wholeProblems(kind: CredentialKind, secret: SecretMaterial, pointer: string): FieldError[] {
  const choice = alternatives[kind];
  if (choice) {
    const { names, least, most } = choice;
    const presentCount = names.filter((name) => Object.hasOwn(secret, name)).length;
    if (presentCount < least || presentCount > most) {
      const detail = `The secret must have ${most === 1 ? "either " : ""}${names.join(" or ")}.`;
      return [{ pointer, code: presentCount < least ? "REQUIRED" : "CONFLICT", detail }];
    }
  }
  if (kind === "MutualTls" && !isKeyOfCertificate(String(secret["certificate"]), String(secret["privateKey"])))
    return [
      {
        pointer: `${pointer}/privateKey`,
        code: "FORMAT",
        detail: "The private key must belong to the first certificate.",
      },
    ];
  return [];
}

/**
 * Checks the hosts to which a credential may be sent. Without hosts, a caller with the scope for credentials decides.
 */
function hostsProblems(hosts: unknown, pointer: string): FieldError[] {
  if (hosts === undefined) return [];
  if (Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => typeof host === "string" && isHost(host)))
    return [];
  const detail = 'The value must be a list of host names, for example ["git.example", "git.example:8443"].';
  return [{ pointer, code: "FORMAT", detail }];
}

/** True for a host as it is written in a URL, with brackets around an IPv6 address. */
function isHost(host: string): boolean {
  const text = /^\p{ASCII}*$/u.test(host) ? host : asciiAuthority(host);
  if (!/^[^\s/?#@\\]{1,260}$/.test(text) || !URL.canParse(`ssh://${text}`)) return false;
  return new URL(`ssh://${text}`).host === text && /^[\w.:[\]-]+$/.test(text);
}

export function isSigningSecret(value: unknown): value is string {
  return typeof value === "string" && canSign(value);
}

/** The time at which a secret expires by itself; null when it does not say. */
export function materialExpiry(kind: CredentialKind, secret: SecretMaterial): Date | null {
  return kind === "MutualTls" ? certificateExpiry(String(secret["certificate"])) : null;
}
