import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { WebhookDescription } from "../../providers/provider-drivers/provider-driver.js";
import type { ArrivedDelivery, DeliveryHint } from "../arrived-deliveries/arrived-delivery.js";
import type { Claim } from "../inbound-candidates/candidate.js";
import { matchesOfVendorKey } from "./vendor-key-match.js";

const scheme = { kind: "jws", header: "x-jws", algorithms: ["ES256"], jwksUrl: "https://vendor.example/" } as const;

type Reading = Partial<Pick<WebhookDescription, "account" | "batch" | "formPayload">>;

function aClaim(reading: Reading = {}, changes: Partial<Claim> = {}): Claim {
  const webhook = { scheme, deliveryId: ["body:/id"], eventName: ["body:/type"], ...reading };
  return {
    tenant: tenantWithId(newId("ten")),
    providerId: newId("prv"),
    providerKey: "vendorx",
    preset: null,
    driver: { webhook },
    subscriptionId: null,
    subscriptionProject: null,
    connectionId: null,
    account: null,
    takesPart: true,
    ...changes,
  };
}

const hintOf = (kind: DeliveryHint["kind"], value: string): DeliveryHint => ({ kind, value });

function arrived(hint?: DeliveryHint, text = '{"id":"1","type":"invoice.paid","account":"acct"}'): ArrivedDelivery {
  const headers = new Map([["content-type", ["application/json"]]]);
  const message = { headers, body: Buffer.from(text), url: "https://platform.example/" };
  return {
    ...{ form: "Vendor", providerKey: "vendorx", hint, message, address: "192.0.2.1" },
    trace: continueTrace(undefined),
  };
}

interface Given {
  readonly claims: readonly Claim[];
  /** The claims with connections that have each account. */
  readonly holders?: Readonly<Record<string, readonly Claim[]>>;
  /** Those whose keys do not verify the signature. */
  readonly strangers?: readonly Claim[];
  readonly hint?: DeliveryHint;
  readonly isWhole?: boolean;
  readonly text?: string;
}

/** The matches, and how many keys were tried. */
async function match({ claims, holders = {}, strangers = [], hint, isWhole = true, text }: Given) {
  let triedCount = 0;
  const matches = await matchesOfVendorKey(
    arrived(hint, text),
    { claims, isWhole },
    { holders: async (_key, account) => holders[account] ?? [] },
    async (claims) => {
      triedCount += claims.length;
      return claims.filter((claim) => !strangers.includes(claim));
    },
  );
  return { matches, tried: triedCount };
}

const matchesOf = async (options: Given) => (await match(options)).matches;

const namedAccount = { account: "body:/account" };

describe("a tenant whose driver names no account", () => {
  const victim = aClaim();
  const thief = aClaim({ account: "body:/type" });
  const holders = { "invoice.paid": [thief] };

  it("gets its deliveries, and loses none to a tenant that names a value of every body as its account", async () => {
    expect(await matchesOf({ claims: [victim] })).toEqual([victim]);
    expect(await matchesOf({ claims: [victim, thief], holders })).toEqual([victim, thief]);
    expect(await matchesOf({ claims: [victim, thief], holders, hint: hintOf("account", "invoice.paid") })).toHaveLength(
      2,
    );
  });

  it("is not disturbed by a tenant whose key does not verify", async () => {
    expect(await matchesOf({ claims: [victim, thief], holders, strangers: [thief] })).toEqual([victim]);
  });

  it("gets the deliveries of its own resource whatever others have registered", async () => {
    expect(await matchesOf({ claims: [victim], holders, hint: hintOf("connection", newId("con")) })).toEqual([victim]);
  });

  it("gets none while it takes none, and neither does another tenant", async () => {
    const disabledClaim = aClaim({}, { takesPart: false });
    expect(await matchesOf({ claims: [disabledClaim] })).toEqual([]);
    expect(await matchesOf({ claims: [disabledClaim, thief], holders })).toHaveLength(2);
  });
});

describe("a tenant whose driver names the account", () => {
  const owner = aClaim(namedAccount);
  const others = Array.from({ length: 20 }, () => aClaim(namedAccount));

  it("gets the deliveries of its account among many others, and no key of another tenant is tried", async () => {
    const options = { claims: [...others, owner], holders: { acct: [owner] } };
    expect(await match(options)).toEqual({ matches: [owner], tried: 1 });
    expect(await matchesOf({ ...options, hint: hintOf("account", "acct") })).toEqual([owner]);
    expect(await matchesOf({ ...options, holders: { other: [owner] }, hint: hintOf("account", "other") })).toEqual([]);
    expect(await matchesOf({ ...options, holders: {} })).toEqual([]);
  });

  it.each([
    ["at another place", { account: "body:/type" }, "invoice.paid"],
    ["of a batch", { ...namedAccount, batch: true }, "acct"],
    ["in another form", { ...namedAccount, formPayload: "payload" }, "acct"],
    ["partly in a header, which is not signed", { account: "body:/account & header:x-any" }, "acct"],
  ])("loses no delivery to a tenant that reads the account %s", async (_, reading, account) => {
    const thief = aClaim(reading);
    // The body of this event may not name the owner's account.
    for (const holders of [{ [account]: [thief] }, { acct: [owner], [account]: [thief] }])
      expect(await matchesOf({ claims: [owner, thief], holders })).toEqual([owner, thief]);
    expect(await matchesOf({ claims: [owner, thief], holders: { acct: [owner] }, strangers: [thief] })).toEqual([
      owner,
    ]);
  });

  it("needs a hint as soon as not all registrations can be compared", async () => {
    const thief = aClaim({ account: "body:/type" });
    const holders = { "invoice.paid": [thief], acct: [owner] };
    expect(await match({ claims: [...others, thief, owner], holders })).toEqual({ matches: [], tried: 0 });
    expect(await match({ claims: [owner], holders, isWhole: false })).toEqual({ matches: [], tried: 0 });
    const nine = others.slice(0, 9);
    expect(await match({ claims: nine, holders: { acct: nine } })).toEqual({ matches: [], tried: 0 });
  });
});

it("the body is not read before a key has verified it, where the URL names the account", async () => {
  const owner = aClaim(namedAccount);
  const delivery = arrived(hintOf("account", "acct"));
  let reads = 0;
  const message = Object.defineProperty({ ...delivery.message }, "body", {
    get: () => {
      reads += 1;
      return delivery.message.body;
    },
  });
  const verify = (isValid: boolean) =>
    matchesOfVendorKey(
      { ...delivery, message },
      { claims: [owner], isWhole: true },
      { holders: async () => [owner] },
      async (claims) => (isValid ? claims : []),
    );
  expect(await verify(false)).toEqual([]);
  expect(reads).toBe(0);
  expect(await verify(true)).toEqual([owner]);
});
