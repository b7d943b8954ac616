import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { parseSigningSecret } from "../standard-webhooks/signing-secret.js";
import type { CredentialKind } from "./credential.states.js";
import type { SecretMaterial } from "./secret-store.js";
import { isKnownHosts, isSshPrivateKey } from "./ssh-material.js";

interface Member {
  readonly optional?: true;
  readonly fits: (value: string) => boolean;
  /** The error detail. It must not repeat the value, which is a secret. */
  readonly detail: string;
}

const maxSecretCharacters = 64 * 1024;
const text = { fits: (value: string) => value !== "", detail: "The value must be a string that is not empty." };
/** The name becomes an argument of ssh, so it must not begin with a hyphen. */
const sshUser = /^[A-Za-z0-9._][A-Za-z0-9._@+-]{0,99}$/;

/** The members that each kind requires. More members are allowed and stored. ApiKey and Custom require none. */
const members: Record<CredentialKind, Readonly<Record<string, Member>>> = {
  WebhookSigning: {
    signingSecret: {
      fits: isSigningSecret,
      detail: 'The value must be "whsec_" followed by 24 to 64 bytes in base64.',
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
  ApiKey: {},
  Custom: {},
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
  const own = Object.entries(members[kind]).flatMap(([name, { optional, fits, detail }]) => {
    const value = Object.hasOwn(secret, name) ? secret[name] : undefined;
    if (value === undefined && optional) return [];
    return typeof value === "string" && fits(value) ? [] : [{ pointer: `${pointer}/${name}`, code: "FORMAT", detail }];
  });
  return kind === "Custom" ? own : [...own, ...hostsProblems(secret["hosts"], `${pointer}/hosts`)];
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

/** True for a host as it is written in a URL: punycode, and brackets around an IPv6 address. */
function isHost(text: string): boolean {
  if (!/^[^\s/?#@\\]{1,260}$/.test(text) || !URL.canParse(`ssh://${text}`)) return false;
  return new URL(`ssh://${text}`).host === text && /^[\w.:[\]-]+$/.test(text);
}

export function isSigningSecret(value: unknown): value is string {
  return typeof value === "string" && parseSigningSecret(value) !== undefined;
}
