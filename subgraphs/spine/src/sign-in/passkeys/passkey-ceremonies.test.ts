import { newId } from "@factory/runtime/identifiers/wire-id";
import { readCreatedCredential, readUsedCredential } from "./credential-response.js";
import { type KnownPasskey, methodsOf, PasskeyCeremonies, userHandleOf } from "./passkey-ceremonies.js";
import { type CeremonyChanges, SoftwareAuthenticator } from "./software-authenticator.fixture.js";

const origin = "https://factory.example";
const ceremonies = new PasskeyCeremonies({ id: "factory.example", origin });
const person = { userId: newId("usr"), email: "ana@example.com", displayName: "Ana" };

const anAuthenticator = (settings?: ConstructorParameters<typeof SoftwareAuthenticator>[1]) =>
  new SoftwareAuthenticator(origin, settings);

async function created(authenticator: SoftwareAuthenticator, changes: CeremonyChanges = {}) {
  const { challenge, options } = await ceremonies.creation(person, []);
  const credential = readCreatedCredential(authenticator.create(options, changes));
  return credential && ceremonies.created(credential, challenge);
}

async function registered(authenticator = anAuthenticator()): Promise<KnownPasskey> {
  const passkey = await created(authenticator);
  if (!passkey) throw new Error("The passkey was refused");
  return { ...passkey, userId: person.userId };
}

async function used(authenticator: SoftwareAuthenticator, passkey: KnownPasskey, changes: CeremonyChanges = {}) {
  const { challenge, options } = await ceremonies.use();
  const credential = readUsedCredential(authenticator.use(options, changes));
  return credential && ceremonies.used(credential, challenge, passkey);
}

describe("the creation of a passkey", () => {
  it("asks for a discoverable credential with user verification, without attestation and without other passkeys", async () => {
    const existing = await registered();
    const { options, challenge } = await ceremonies.creation(person, [existing]);
    expect(options).toMatchObject({
      rp: { id: "factory.example" },
      user: { name: "ana@example.com", displayName: "Ana" },
      attestation: "none",
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      excludeCredentials: [{ id: existing.credentialId, type: "public-key", transports: ["internal"] }],
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: "public-key" })),
    });
    expect(Buffer.from(challenge, "base64url").length).toBeGreaterThanOrEqual(32);
  });

  it("gives the user a handle that is always the same and tells nothing about the person", async () => {
    const handle = async (of: typeof person) =>
      ((await ceremonies.creation(of, [])).options as { user: { id: string } }).user.id;
    expect(await handle(person)).toBe(userHandleOf(person.userId));
    expect(await handle({ ...person, email: "other@example.com" })).toBe(await handle(person));
    expect(await handle({ ...person, userId: newId("usr") })).not.toBe(await handle(person));
    expect(Buffer.from(await handle(person), "base64url")).toHaveLength(32);
  });

  it.each(["ES256", "EdDSA"] as const)("takes a key for %s", async (algorithm) => {
    const authenticator = anAuthenticator({ algorithm, counter: 7 });
    expect(await created(authenticator)).toEqual({
      credentialId: authenticator.id,
      publicKey: expect.any(Buffer),
      transports: ["internal"],
      deviceBound: true,
      signatureCount: 7,
    });
  });

  it("tells keys that may be copied from keys of one device", async () => {
    expect(methodsOf(await registered())).toEqual(["hwk", "user"]);
    expect(methodsOf(await registered(anAuthenticator({ algorithm: "ES256", synced: true })))).toEqual(["swk", "user"]);
  });

  it.each<[string, CeremonyChanges]>([
    ["another challenge", { challenge: "b3RoZXI" }],
    ["another origin", { origin: "https://evil.example" }],
    ["another host name", { rpId: "evil.example" }],
    ["the other ceremony", { type: "webauthn.get" }],
    ["a person who was not recognized", { userVerified: false }],
    ["nobody present", { userPresent: false }],
    [
      "an attestation with certificates",
      { attestation: { fmt: "packed", attStmt: new Map([["x5c", [Buffer.from("cert")]]]) } },
    ],
    ["an attestation of another format", { attestation: { fmt: "tpm" } }],
    ["a statement that does not fit its format", { attestation: { fmt: "none", attStmt: new Map([["sig", 1]]) } }],
  ])("refuses %s", async (_, changes) => {
    expect(await created(anAuthenticator(), changes)).toBeUndefined();
  });

  it("refuses the id of another credential", async () => {
    const { challenge, options } = await ceremonies.creation(person, []);
    const credential = readCreatedCredential(anAuthenticator().create(options));
    expect(credential).toBeDefined();
    expect(credential && (await ceremonies.created({ ...credential, id: "b3RoZXI" }, challenge))).toBeUndefined();
  });
});

describe("the use of a passkey", () => {
  it("asks for any passkey of the host with user verification, or for those of a known person", async () => {
    expect((await ceremonies.use()).options).toMatchObject({ rpId: "factory.example", userVerification: "required" });
    expect((await ceremonies.use()).options).not.toHaveProperty("allowCredentials", expect.anything());
    const passkey = await registered();
    expect((await ceremonies.use([passkey])).options).toMatchObject({
      userVerification: "preferred",
      allowCredentials: [{ id: passkey.credentialId, transports: ["internal"] }],
    });
  });

  it.each(["ES256", "EdDSA"] as const)("is proven by a signature with %s", async (algorithm) => {
    const authenticator = anAuthenticator({ algorithm, counter: 7 });
    const passkey = await registered(authenticator);
    expect(await used(authenticator, passkey)).toEqual({ signatureCount: 8, userVerified: true });
    expect(await used(authenticator, passkey, { userVerified: false })).toEqual({
      signatureCount: 9,
      userVerified: false,
    });
  });

  it.each<[string, CeremonyChanges]>([
    ["another challenge", { challenge: "b3RoZXI" }],
    ["another origin", { origin: "https://evil.example" }],
    ["another host name", { rpId: "evil.example" }],
    ["the other ceremony", { type: "webauthn.create" }],
    ["nobody present", { userPresent: false }],
    ["the handle of another user", { userHandle: userHandleOf(newId("usr")) }],
  ])("is refused with %s", async (_, changes) => {
    const authenticator = anAuthenticator();
    expect(await used(authenticator, await registered(authenticator), changes)).toBeUndefined();
  });

  it("is refused when another key has signed", async () => {
    const passkey = await registered();
    const other = anAuthenticator();
    const { challenge, options } = await ceremonies.use();
    const credential = readUsedCredential(other.use(options));
    expect(credential && (await ceremonies.used(credential, challenge, passkey))).toBeUndefined();
    const otherCredential = credential && { ...credential, id: passkey.credentialId };
    expect(otherCredential && (await ceremonies.used(otherCredential, challenge, passkey))).toBeUndefined();
  });
});

describe("the answer of a browser", () => {
  const response = { clientDataJSON: "a", attestationObject: "a", authenticatorData: "a", signature: "a" };

  it.each([
    ["nothing", null],
    ["an empty text", ""],
    ["a text that is not JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["an object without a response", '{"id":"a","type":"public-key"}'],
    ["an id that is not base64url", JSON.stringify({ id: "a b", type: "public-key", response })],
    ["an id that is too long", JSON.stringify({ id: "a".repeat(1365), type: "public-key", response })],
  ])("is not read from %s", (_, text) => {
    expect([readCreatedCredential(text), readUsedCredential(text)]).toEqual([undefined, undefined]);
  });

  it.each([
    ["a number", Buffer.from([0])],
    ["the end of a value that did not begin", Buffer.from([0xff])],
    ["a map without an end", Buffer.from([0xbf, 0x00])],
    ["lists in lists, 6,000 times", Buffer.alloc(6000, 0x81)],
    ["a list that claims 2^32 members", Buffer.from([0x9a, 0xff, 0xff, 0xff, 0xff])],
  ])("with %s as its attestation is refused", async (_, bytes) => {
    const attestationObject = bytes.toString("base64url");
    const { challenge } = await ceremonies.creation(person, []);
    const clientDataJSON = Buffer.from(JSON.stringify({ type: "webauthn.create", challenge, origin })).toString(
      "base64url",
    );
    const text = JSON.stringify({ id: "AAAA", type: "public-key", response: { clientDataJSON, attestationObject } });
    const credential = readCreatedCredential(text);
    expect(credential).toBeDefined();
    expect(credential && (await ceremonies.created(credential, challenge))).toBeUndefined();
  });
});
