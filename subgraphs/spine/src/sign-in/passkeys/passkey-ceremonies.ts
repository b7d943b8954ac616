import { hash } from "node:crypto";
import type { CreatedCredential, UsedCredential } from "./credential-response.js";
import type { RelyingParty } from "./relying-party.js";

/** The facts about a passkey that its use is checked against. */
export interface KnownPasskey {
  /** `usr_…` */
  readonly userId: string;
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly transports: readonly string[];
  readonly deviceBound: boolean;
}

/** A passkey that has just been created. */
export interface NewPasskey extends Omit<KnownPasskey, "userId"> {
  readonly signatureCount: number;
}

/** A passkey's proven use. The caller compares the counter with the last one. */
export interface PasskeyUse {
  readonly signatureCount: number;
  /** The authenticator has recognized the person, for example by a fingerprint or a PIN. */
  readonly userVerified: boolean;
}

/** The request for a browser dialog: its options as JSON, and the challenge that the answer must hold. */
export interface CeremonyRequest {
  readonly challenge: string;
  readonly options: object;
}

/** The library takes 26 MB, so it is loaded for the first ceremony. */
const library = () => import("@simplewebauthn/server");

/** Browsers close their dialog after this time. */
const dialogMs = 5 * 60_000;
/** EdDSA, ES256 and RS256 in the COSE registry. */
const algorithms = [-8, -7, -257];
/** 8,192-bit RSA keys fit. */
const maxKeyBytes = 1200;

/** The two WebAuthn Level 3 ceremonies (section 7). They store nothing. */
export class PasskeyCeremonies {
  readonly #party: RelyingParty;

  constructor(party: RelyingParty) {
    this.#party = party;
  }

  /** Asks for a discoverable credential with user verification, so that each passkey can replace the password. */
  async creation(
    person: { readonly userId: string; readonly email: string; readonly displayName: string | null },
    existing: readonly KnownPasskey[],
  ): Promise<CeremonyRequest> {
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpID: this.#party.id,
      rpName: this.#party.id,
      userID: bytesOf(userHandleOf(person.userId)),
      userName: person.email,
      userDisplayName: person.displayName ?? person.email,
      timeout: dialogMs,
      attestationType: "none",
      supportedAlgorithmIDs: algorithms,
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: existing.map(descriptorOf),
    });
    return { challenge: options.challenge, options };
  }

  /** Undefined unless the answer is valid for this challenge and origin, and the person was recognized. */
  async created({ id, response }: CreatedCredential, challenge: string): Promise<NewPasskey | undefined> {
    const { clientDataJSON, attestationObject, transports = [] } = response;
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await refusedIfInvalid(async () => {
      await requireNoCertificates(attestationObject);
      return verifyRegistrationResponse({
        response: {
          ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
          response: { clientDataJSON, attestationObject },
        },
        expectedChallenge: challenge,
        expectedOrigin: this.#party.origin,
        expectedRPID: this.#party.id,
        requireUserVerification: true,
        supportedAlgorithmIDs: algorithms,
      });
    });
    if (!registrationInfo) return undefined;
    const { credential, credentialDeviceType } = registrationInfo;
    if (credential.id !== id || credential.publicKey.length > maxKeyBytes) return undefined;
    return {
      credentialId: id,
      publicKey: Buffer.from(credential.publicKey),
      transports,
      deviceBound: credentialDeviceType === "singleDevice",
      signatureCount: credential.counter,
    };
  }

  /** Asks for one of these passkeys; without a list, for any passkey on this host, and for user verification. */
  async use(passkeys?: readonly KnownPasskey[]): Promise<CeremonyRequest> {
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      rpID: this.#party.id,
      timeout: dialogMs,
      userVerification: passkeys ? "preferred" : "required",
      ...(passkeys ? { allowCredentials: passkeys.map(descriptorOf) } : {}),
    });
    return { challenge: options.challenge, options };
  }

  /** Undefined unless the answer is signed with the passkey's key, for this challenge, origin and user. */
  async used(
    { id, response }: UsedCredential,
    challenge: string,
    passkey: KnownPasskey,
  ): Promise<PasskeyUse | undefined> {
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    if (id !== passkey.credentialId) return undefined;
    if (userHandle && userHandle !== userHandleOf(passkey.userId)) return undefined;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await refusedIfInvalid(() =>
      verifyAuthenticationResponse({
        response: {
          ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
          response: { clientDataJSON, authenticatorData, signature },
        },
        expectedChallenge: challenge,
        expectedOrigin: this.#party.origin,
        expectedRPID: this.#party.id,
        requireUserVerification: false,
        // the statement that stores the use compares the counters, so that two uses at the same time are told apart
        credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
      }),
    );
    if (!verified || !authenticationInfo) return undefined;
    return { signatureCount: authenticationInfo.newCounter, userVerified: authenticationInfo.userVerified };
  }
}

/**
 * The user handle, which authenticators store and show to nobody. It is the same for each passkey that a user has, so
 * that an authenticator keeps one per user, and tells nothing about the person.
 */
export function userHandleOf(userId: string): string {
  return hash("sha256", `passkeys of ${userId}`, "base64url");
}

/** The RFC 8176 values for a passkey: the key is in hardware or may be copied, and a person was present. */
export function methodsOf({ deviceBound }: Pick<KnownPasskey, "deviceBound">): string[] {
  return [deviceBound ? "hwk" : "swk", "user"];
}

const descriptorOf = ({ credentialId, transports }: KnownPasskey) => ({
  id: credentialId,
  ...(transports.length === 0 ? {} : { transports: [...transports] }),
});

/**
 * Certificates were not asked for. Checking an attestation's certificates would call addresses that the certificates
 * name.
 */
async function requireNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const attestation = decodeAttestationObject(bytesOf(attestationObject));
  const format = attestation.get("fmt");
  const isSelfSigned = format === "packed" && attestation.get("attStmt").get("x5c") === undefined;
  if (format !== "none" && !isSelfSigned) throw new Error("An attestation with certificates was not asked for");
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

interface Refused {
  readonly verified: false;
  readonly registrationInfo?: undefined;
  readonly authenticationInfo?: undefined;
}

/** The library throws an error without a class of its own for each answer that is malformed or not valid. */
async function refusedIfInvalid<T>(verify: () => Promise<T>): Promise<T | Refused> {
  try {
    return await verify();
  } catch {
    return { verified: false };
  }
}
