import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A test's changes to the answer from the authenticator or the browser. */
export interface CeremonyChanges {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly attestation?: Readonly<Record<string, CborValue>>;
}

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

type CborValue = number | string | Buffer | CborMap | readonly CborValue[];
type CborMap = ReadonlyMap<number | string, CborValue>;

/**
 * An authenticator with one passkey and the browser in front of it, made from `node:crypto`: real keys, COSE and CBOR
 * (RFC 8949), and the JSON that the page's script sends.
 */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  readonly #key: KeyObject;
  readonly #publicKey: CborMap;
  readonly #origin: string;
  #userHandle: string | undefined;
  #counter: number;

  /** `synced`: the key may be copied to other devices. A zero `counter` stays 0, as in most passkeys. */
  constructor(
    origin: string,
    readonly settings: { algorithm: "ES256" | "EdDSA"; synced?: boolean; counter?: number } = { algorithm: "ES256" },
  ) {
    this.#origin = origin;
    this.#counter = settings.counter ?? 0;
    const { privateKey, publicKey } =
      settings.algorithm === "ES256"
        ? generateKeyPairSync("ec", { namedCurve: "P-256" })
        : generateKeyPairSync("ed25519");
    this.#key = privateKey;
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const bytes = (text: string) => Buffer.from(text, "base64url");
    this.#publicKey =
      settings.algorithm === "ES256"
        ? new Map<number, CborValue>([
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, bytes(x)],
            [-3, bytes(y)],
          ])
        : new Map<number, CborValue>([
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, bytes(x)],
          ]);
  }

  get id(): string {
    return this.credentialId.toString("base64url");
  }

  /** The answer to `navigator.credentials.create`. */
  create(options: object, changes: CeremonyChanges = {}): string {
    const { challenge, rp, user } = options as Options;
    this.#userHandle = user?.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const attestation = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cbor(this.#publicKey)]);
    const authenticatorData = Buffer.concat([
      this.#authenticatorData(changes.rpId ?? rp?.id, 0x40, changes),
      attestation,
    ]);
    const { fmt = "none", attStmt = new Map() } = changes.attestation ?? {};
    const attestationObject = cbor(
      new Map<string, CborValue>([
        ["fmt", fmt],
        ["attStmt", attStmt],
        ["authData", authenticatorData],
      ]),
    );
    return this.#credential({
      clientDataJSON: this.#clientData("webauthn.create", challenge, changes),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** The answer to `navigator.credentials.get`. */
  use(options: object, changes: CeremonyChanges = {}): string {
    const { challenge, rpId } = options as Options;
    if (this.#counter > 0) this.#counter += 1;
    const authenticatorData = this.#authenticatorData(changes.rpId ?? rpId, 0, changes);
    const clientDataJSON = this.#clientData("webauthn.get", challenge, changes);
    const signedBytes = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const algorithm = this.settings.algorithm === "ES256" ? "sha256" : null;
    const userHandle = changes.userHandle === undefined ? this.#userHandle : changes.userHandle;
    return this.#credential({
      clientDataJSON,
      authenticatorData: authenticatorData.toString("base64url"),
      signature: sign(algorithm, signedBytes, this.#key).toString("base64url"),
      userHandle,
    });
  }

  #credential(response: object): string {
    return JSON.stringify({ id: this.id, type: "public-key", response });
  }

  #clientData(type: string, challenge: string, changes: CeremonyChanges): string {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false };
    const { type: otherType = type, challenge: other = challenge, origin = this.#origin } = changes;
    return Buffer.from(JSON.stringify({ ...data, type: otherType, challenge: other, origin })).toString("base64url");
  }

  #authenticatorData(rpId = "", attestedFlag: number, changes: CeremonyChanges): Buffer {
    const { userPresent = true, userVerified = true, counter = this.#counter } = changes;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = (userPresent ? 1 : 0) | (userVerified ? 4 : 0) | (this.settings.synced ? 0x18 : 0) | attestedFlag;
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count]);
  }
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** The value in CBOR (RFC 8949). */
function cbor(value: CborValue): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const members = [...(value as CborMap)].flatMap(([name, member]) => [cbor(name), cbor(member)]);
  return Buffer.concat([head(5, (value as CborMap).size), ...members]);
}

/** A value's first bytes: its major type, and its size or number below 65,536. */
function head(major: number, size: number): Buffer {
  const type = major << 5;
  if (size < 24) return Buffer.from([type | size]);
  return size < 256 ? Buffer.from([type | 24, size]) : Buffer.from([type | 25, size >> 8, size & 255]);
}
