import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { ProviderDriver } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery } from "../arrived-deliveries/arrived-delivery.js";
import type { Candidate, Claim } from "../inbound-candidates/candidate.js";
import { SignatureVerifier } from "./signature-verifier.js";

const now = new Date();
const driver: ProviderDriver = {
  webhook: {
    scheme: { kind: "ecdsa", header: "x-signature", timestampHeader: "x-time", signedContent: "{timestamp}{body}" },
    deliveryId: ["body:/id"],
    eventName: ["body:/type"],
    account: "body:/account",
  },
};

function aTenant() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const registration = {
    tenant: tenantWithId(newId("ten")),
    providerId: newId("prv"),
    providerKey: "mail",
    preset: null,
    driver,
    subscriptionId: null,
    subscriptionProject: null,
    connectionId: null,
  };
  const candidate: Candidate = { ...registration, credential: newId("crd") };
  const claim: Claim = { ...registration, account: null, takesPart: true };
  const text = publicKey.export({ type: "spki", format: "pem" }).toString();
  return { privateKey, text, candidate, claim };
}

const [victim, other] = [aTenant(), aTenant()];

/** The verifier while each named tenant's connection has the account. */
function verifier(holders: readonly ReturnType<typeof aTenant>[]) {
  const texts = new Map([victim, other].map(({ candidate, text }) => [candidate.credential, text]));
  const secrets = {
    of: async (candidates: readonly Candidate[]) =>
      candidates.map(({ credential }) => [
        { text: texts.get(credential) ?? "", isPublic: true, usableUntil: Number.POSITIVE_INFINITY },
      ]),
  };
  const keySets = { of: () => async () => [] };
  const accounts = {
    holders: async (_key: string, account: string) => (account === "acct" ? holders.map(({ claim }) => claim) : []),
  };
  return new SignatureVerifier({ secrets, keySets, holders: accounts }, () => now);
}

function delivery(signer: ReturnType<typeof aTenant>, changes: Partial<ArrivedDelivery> = {}): ArrivedDelivery {
  const body = Buffer.from(JSON.stringify({ id: "1", type: "made", account: "acct" }));
  const time = String(Math.floor(now.getTime() / 1000));
  const signature = sign("sha256", Buffer.concat([Buffer.from(time), body]), signer.privateKey).toString("base64");
  const headers = new Map([
    ["content-type", ["application/json"]],
    ["x-signature", [signature]],
    ["x-time", [time]],
    ["x-hub-signature-256", [`sha256=${createHmac("sha256", signer.text).update(body).digest("hex")}`]],
  ]);
  const message = { headers, body, url: "https://platform.example/" };
  const defaults = { form: "Vendor", providerKey: "mail", hint: undefined, message, address: "192.0.2.1" } as const;
  return { ...defaults, trace: continueTrace(undefined), ...changes };
}

const set = { candidates: [victim.candidate, other.candidate], claims: [victim.claim, other.claim], isWhole: true };
const tenantsOf = async (holders: readonly ReturnType<typeof aTenant>[], arrival: ArrivedDelivery) =>
  (await verifier(holders).verify(arrival, set)).matches.map(({ tenant }) =>
    tenant === victim.claim.tenant ? "victim" : "other",
  );

it("gives a delivery with the signature of a stored public key to the holder of the account in its body", async () => {
  expect(await tenantsOf([victim], delivery(victim))).toEqual(["victim"]);
  expect(await tenantsOf([], delivery(victim))).toEqual([]);
});

it("the key of another tenant signs nothing for the holder of the account", async () => {
  expect(await tenantsOf([victim], delivery(other))).toEqual([]);
  expect(await tenantsOf([victim, other], delivery(other))).toHaveLength(2);
});

it("a body that could be JSON and is sent as a form names no account", async () => {
  const request = delivery(victim);
  const headers = new Map(request.message.headers).set("content-type", ["application/x-www-form-urlencoded"]);
  expect(await tenantsOf([victim], { ...request, message: { ...request.message, headers } })).toEqual([]);
});

it("a public key is no secret of an HMAC", async () => {
  expect(await tenantsOf([victim], delivery(victim, { form: "Specified" }))).toEqual([]);
});

it("a tenant that stores the public key of another and names a value of every body as its account gets nothing", async () => {
  const [withoutAccount, thief] = [undefined, "body:/type"].map((account) => {
    const tenant = aTenant();
    const { account: _, ...webhook } = driver.webhook as NonNullable<ProviderDriver["webhook"]>;
    const driverChange = { driver: { webhook: { ...webhook, ...(account === undefined ? {} : { account }) } } };
    return {
      ...tenant,
      candidate: { ...tenant.candidate, ...driverChange },
      claim: { ...tenant.claim, ...driverChange },
    };
  }) as [ReturnType<typeof aTenant>, ReturnType<typeof aTenant>];
  const secret = { text: victim.text, isPublic: true, usableUntil: Number.POSITIVE_INFINITY };
  const verifierOfBoth = new SignatureVerifier(
    {
      secrets: { of: async (candidates) => candidates.map(() => [secret]) },
      keySets: { of: () => async () => [] },
      holders: { holders: async (_key, account) => (account === "made" ? [thief.claim] : []) },
    },
    () => now,
  );
  const both = {
    candidates: [withoutAccount.candidate, thief.candidate],
    claims: [withoutAccount.claim, thief.claim],
    isWhole: true,
  };
  const { matches } = await verifierOfBoth.verify(delivery(victim), both);
  expect(matches.map(({ tenant }) => tenant)).toEqual([withoutAccount.claim.tenant, thief.claim.tenant]);
  expect((await verifierOfBoth.verify(delivery(victim), { ...both, isWhole: false })).matches).toEqual([]);
});

it("tries at most 256 secrets, and those in a grace period after all current ones", async () => {
  const tenants = Array.from({ length: 100 }, () => aTenant().candidate);
  const hmacDriver: ProviderDriver = {};
  const candidates = tenants.map((candidate) => ({ ...candidate, driver: hmacDriver }));
  const secretOf = (place: number, version: string) => `a secret of the candidate ${place}, ${version}`;
  const secrets = {
    of: async (testCandidates: readonly Candidate[]) => {
      return testCandidates.map((_, place) => [
        { text: secretOf(place, "old"), isPublic: false, usableUntil: now.getTime() + 1000 },
        { text: secretOf(place, "new"), isPublic: false, usableUntil: Number.POSITIVE_INFINITY },
        { text: secretOf(place, "older"), isPublic: false, usableUntil: now.getTime() + 1000 },
      ]);
    },
  };
  const ownVerifier = new SignatureVerifier(
    { secrets, keySets: { of: () => async () => [] }, holders: { holders: async () => [] } },
    () => now,
  );
  const isMatched = async (place: number, version: string): Promise<boolean> => {
    const body = Buffer.from("{}");
    const digest = createHmac("sha256", secretOf(place, version)).update(body).digest("hex");
    const headers = new Map([["x-hub-signature-256", [`sha256=${digest}`]]]);
    const request = delivery(victim, { message: { headers, body, url: "https://platform.example/" } });
    const { matches } = await ownVerifier.verify(request, { candidates, claims: [], isWhole: true });
    expect(matches.length).toBeLessThanOrEqual(1);
    return matches[0]?.tenant === candidates[place]?.tenant;
  };
  // 100 current secrets, one more for each candidate, and a third one for the first 56.
  expect(await isMatched(99, "new")).toBe(true);
  expect(await isMatched(99, "old")).toBe(true);
  expect(await isMatched(55, "older")).toBe(true);
  expect(await isMatched(56, "older")).toBe(false);
});

it("a public key decides nothing where a former key of another tenant was left out for the number of secrets", async () => {
  const current = { isPublic: true, usableUntil: Number.POSITIVE_INFINITY };
  const former = { isPublic: true, usableUntil: now.getTime() + 1000 };
  const { account: _, ...webhook } = driver.webhook as NonNullable<ProviderDriver["webhook"]>;
  const candidates = Array.from({ length: 132 }, () => ({ ...aTenant().candidate, driver: { webhook } }));
  const [thief, owner] = [candidates[0], candidates.at(-1)];
  const secretsOf = ({ credential }: Candidate) => [
    { ...current, text: credential === thief?.credential ? victim.text : other.text },
    { ...former, text: credential === owner?.credential ? victim.text : other.text },
  ];
  const ownVerifier = new SignatureVerifier(
    {
      secrets: { of: async (candidates) => candidates.map(secretsOf) },
      keySets: { of: () => async () => [] },
      holders: { holders: async () => [] },
    },
    () => now,
  );
  expect((await ownVerifier.verify(delivery(victim), { candidates, claims: [], isWhole: true })).matches).toEqual([]);
});

it("asks for the delivery again where nothing verifies and a secret cannot be opened", async () => {
  const sealedSecret = { isSealed: true } as const;
  const verifierWith = (isPublic: boolean) =>
    new SignatureVerifier(
      {
        secrets: {
          of: async () => [[sealedSecret], [{ text: victim.text, isPublic, usableUntil: Number.POSITIVE_INFINITY }]],
        },
        keySets: { of: () => async () => [] },
        holders: { holders: async () => [] },
      },
      () => now,
    );
  const set = { candidates: [other.candidate, victim.candidate], claims: [], isWhole: true };
  const unavailable = { code: "UNAVAILABLE" };
  // The key that cannot be opened may be the owner's, and a public key proves the vendor only.
  await expect(verifierWith(true).verify(delivery(victim), set)).rejects.toMatchObject(unavailable);
  const body = Buffer.from("{}");
  const signedDelivery = (secret: string) => {
    const digest = createHmac("sha256", secret).update(body).digest("hex");
    const headers = new Map([["x-hub-signature-256", [`sha256=${digest}`]]]);
    return delivery(victim, { form: "Specified", message: { headers, body, url: "https://platform.example/" } });
  };
  await expect(verifierWith(false).verify(signedDelivery("another"), set)).rejects.toMatchObject(unavailable);
  const { matches } = await verifierWith(false).verify(signedDelivery(victim.text), set);
  expect(matches.map(({ tenant }) => tenant)).toEqual([victim.candidate.tenant]);
});

describe("the refusal of a delivery", () => {
  const secret = "the secret of the vendor";
  const hmac: ProviderDriver = {
    webhook: {
      scheme: {
        kind: "hmac",
        algorithm: "sha256",
        header: "x-signed",
        encoding: "hex",
        timestampHeader: "x-at",
        signedContent: "{timestamp}{body}",
      },
      deliveryId: ["body:/id"],
      eventName: ["body:/type"],
    },
  };
  const candidate: Candidate = { ...victim.candidate, driver: hmac };
  const verifierOf = new SignatureVerifier(
    {
      secrets: {
        of: async (candidates) =>
          candidates.map(() => [{ text: secret, isPublic: false, usableUntil: Number.POSITIVE_INFINITY }]),
      },
      keySets: { of: () => async () => [] },
      holders: { holders: async () => [] },
    },
    () => now,
  );
  const refusal = async (headers: Record<string, string>) => {
    const lists = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const message = { headers: lists, body: Buffer.from("{}"), url: "https://platform.example/" };
    const set = { candidates: [candidate], claims: [], isWhole: true };
    const { matches, refusal } = await verifierOf.verify(delivery(victim, { message }), set);
    return matches.length > 0 ? "none" : refusal;
  };
  const signedHeaders = (at: number, by = secret) => ({
    "x-at": String(at),
    "x-signed": createHmac("sha256", by).update(`${at}{}`).digest("hex"),
  });
  const seconds = Math.floor(now.getTime() / 1000);

  it("calls only a signature that is right expired, so that an old time tells nothing to others", async () => {
    expect(await refusal(signedHeaders(seconds))).toBe("none");
    for (const at of [seconds - 301, seconds + 302]) {
      expect(await refusal(signedHeaders(at))).toBe("SIGNATURE_EXPIRED");
      expect(await refusal(signedHeaders(at, "another secret"))).toBe("SIGNATURE_INVALID");
    }
    expect(await refusal({ ...signedHeaders(seconds - 301), "x-at": String(seconds) })).toBe("SIGNATURE_INVALID");
  });

  it("tells a signature that is missing from one that is wrong", async () => {
    const { "x-signed": _, ...otherHeaders } = signedHeaders(seconds);
    expect(await refusal(otherHeaders)).toBe("SIGNATURE_MISSING");
    expect(await refusal({ ...otherHeaders, "x-signed": "" })).toBe("SIGNATURE_INVALID");
  });
});
