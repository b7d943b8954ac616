import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { parseSigningSecret } from "../standard-webhooks/signing-secret.js";
import type { CredentialKind } from "./credential.states.js";
import type { SecretMaterial } from "./secret-vault.js";
import { isKnownHosts, isSshPrivateKey } from "./ssh-material.js";

interface Member {
  readonly optional?: true;
  readonly fits: (value: string) => boolean;
  /** Says what is wanted; a value is never repeated. */
  readonly detail: string;
}

const maxSecretCharacters = 64 * 1024;
const text = { fits: (value: string) => value !== "", detail: "Must be a string that is not empty." };
/** It becomes an argument of ssh, where a leading hyphen would be an option. */
const sshUser = /^[A-Za-z0-9._][A-Za-z0-9._@+-]{0,99}$/;

/** What the material of a kind must hold; further members are kept, and ApiKey and Custom hold what they like. */
const members: Record<CredentialKind, Readonly<Record<string, Member>>> = {
  WebhookSigning: {
    signingSecret: { fits: isSigningSecret, detail: "Must be whsec_ followed by 24 to 64 bytes in base64." },
  },
  Basic: {
    // RFC 7617 section 2: the first colon ends the user-id
    username: { fits: (value) => value !== "" && !value.includes(":"), detail: "Must be a user name without a colon." },
    password: text,
  },
  BearerToken: {
    token: { fits: (value) => /^[\w.~+/-]+=*$/.test(value), detail: "Must be a token as in RFC 6750 section 2.1." },
  },
  SshKey: {
    username: {
      optional: true,
      fits: (value) => sshUser.test(value),
      detail: "Must be a login name; git when absent.",
    },
    privateKey: {
      fits: isSshPrivateKey,
      detail: "Must be an unencrypted private key: OpenSSH format, or PEM of PKCS #8, PKCS #1 or SEC 1.",
    },
    knownHosts: { fits: isKnownHosts, detail: "Must hold lines of a known_hosts file: host names, key type, key." },
  },
  ApiKey: {},
  Custom: {},
};

export function checkMaterial(kind: CredentialKind, secret: SecretMaterial): void {
  const errors = problemsOf(kind, secret);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", { detail: "The secret does not fit its kind.", errors });
}

function problemsOf(kind: CredentialKind, secret: SecretMaterial): FieldError[] {
  const pointer = "/input/secret";
  if (Object.keys(secret).length === 0)
    return [{ pointer, code: "TOO_SHORT", detail: "Must have at least one member." }];
  if (JSON.stringify(secret).length > maxSecretCharacters)
    return [{ pointer, code: "TOO_LONG", detail: `Must not exceed ${maxSecretCharacters} characters as JSON.` }];
  const own = Object.entries(members[kind]).flatMap(([name, { optional, fits, detail }]) => {
    const value = Object.hasOwn(secret, name) ? secret[name] : undefined;
    if (value === undefined && optional) return [];
    return typeof value === "string" && fits(value) ? [] : [{ pointer: `${pointer}/${name}`, code: "FORMAT", detail }];
  });
  return kind === "Custom" ? own : [...own, ...hostsProblems(secret["hosts"], `${pointer}/hosts`)];
}

/** Where a credential may be sent; one that names no hosts goes wherever a caller with the scope for it says. */
function hostsProblems(hosts: unknown, pointer: string): FieldError[] {
  if (hosts === undefined) return [];
  if (Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => typeof host === "string" && isHost(host)))
    return [];
  const detail = "Must be a list of host names, such as git.example or git.example:8443.";
  return [{ pointer, code: "FORMAT", detail }];
}

/** As it stands in a URL: punycode, brackets around IPv6. */
function isHost(text: string): boolean {
  if (!/^[^\s/?#@\\]{1,260}$/.test(text) || !URL.canParse(`ssh://${text}`)) return false;
  return new URL(`ssh://${text}`).host === text && /^[\w.:[\]-]+$/.test(text);
}

export function isSigningSecret(value: unknown): value is string {
  return typeof value === "string" && parseSigningSecret(value) !== undefined;
}
