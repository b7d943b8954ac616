import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Refusal } from "@factory/runtime/messages/refusal";
import { createLogger, type Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import type { Pool } from "pg";
import type { ArrivedDelivery, DeliveryHint } from "../arrived-deliveries/arrived-delivery.js";
import type { Candidate } from "../inbound-candidates/candidate.js";
import { CandidateCache } from "../inbound-candidates/candidate-cache.js";
import { AmbiguityAlarm } from "./ambiguity-alarm.js";
import { BodyRooms } from "./body-rooms.js";
import { DeliveryIntake } from "./delivery-intake.js";
import { DeliveryLimits } from "./intake-limits.js";
import type { NewDelivery } from "./new-delivery.js";
import { SignatureVerifier } from "./signature-verifier.js";

const uuid = (prefix: "ten" | "prv" | "crd" | "whs") => decodeId(prefix, newId(prefix)) ?? "";
const secret = "the secret of the vendor";
const driver = JSON.stringify({
  webhook: {
    scheme: { kind: "token", header: "x-token" },
    deliveryId: ["body:/id"],
    eventName: ["text:made"],
    batch: true,
    urlTests: [{ method: "GET", answer: "query:challenge" }],
  },
});

const aTenant = () => ({
  ...{ tenant_id: uuid("ten"), provider_id: uuid("prv"), key: "vendorx", preset: null, driver },
  ...{ subscription_id: uuid("whs"), connection_id: null, credential_id: uuid("crd"), account: null, takes_part: true },
});

/** An intake over a database with these tenants. One tenant has the account `acct`. */
function anIntake(tenants = [aTenant()]) {
  const counts = {
    statements: 0,
    recorded: 0,
    lines: 0,
    refusals: [] as Refusal[],
    conflicts: [] as string[],
    warned: [] as unknown[],
  };
  const query = async (_text: string, [, value]: unknown[]) => {
    counts.statements += 1;
    const isKnown = value === undefined || value === "acct" || value === tenants[0]?.subscription_id;
    return { rows: isKnown ? tenants : [] };
  };
  const cache = new CandidateCache({ query } as unknown as Pool);
  const text = { text: secret, isPublic: false, usableUntil: Number.POSITIVE_INFINITY };
  const secrets = { of: async (candidates: readonly Candidate[]) => candidates.map(() => [text]) };
  const logger = Object.assign(Object.create(createLogger("test", "silent")) as Logger, {
    error: () => {
      counts.lines += 1;
    },
    warn: (facts: unknown) => {
      counts.warned.push(facts);
    },
  });
  const keySets = { of: () => async () => [] };
  const intake = new DeliveryIntake({
    cache,
    verifier: new SignatureVerifier({ secrets, keySets, holders: cache }, () => new Date()),
    limits: new DeliveryLimits({ peek: () => undefined }, 1),
    recorder: {
      record: async (_tenant, deliveries: readonly NewDelivery[]) => {
        counts.recorded += deliveries.length;
        return deliveries.map(({ normalizedEventType, providerDeliveryId }) =>
          counts.conflicts.includes(providerDeliveryId)
            ? "Conflict"
            : { deliveryId: "", normalizedEventType, isDuplicate: false },
        );
      },
    },
    normalize: async (_match, names) => names.map(() => "made"),
    alarm: new AmbiguityAlarm({ note: (refusal) => void counts.refusals.push(refusal) }, logger),
    refused: { note: async () => undefined },
    rooms: new BodyRooms(),
    clock: () => new Date(),
    logger,
    publicUrl: "https://platform.example",
  });
  return {
    intake,
    seen: counts,
    hint: { kind: "subscription", value: encodeId("whs", tenants[0]?.subscription_id ?? "") } as const,
  };
}

interface Sent {
  readonly hint?: DeliveryHint;
  readonly address?: string;
  readonly token?: string;
  readonly events?: number;
}

let ids = 0;

function arrived({ hint, address = "192.0.2.1", token = secret, events = 1 }: Sent = {}): ArrivedDelivery {
  const body = Buffer.from(JSON.stringify(Array.from({ length: events }, () => ({ id: String(ids++) }))));
  const headers = new Map([
    ["content-type", ["application/json"]],
    ["x-token", [token]],
  ]);
  const message = { headers, body, url: "https://platform.example/" };
  return { form: "Vendor", providerKey: "vendorx", hint, message, address, trace: continueTrace(undefined) };
}

const rateLimited = expect.objectContaining({ code: "RATE_LIMITED" });
const notVerified = expect.objectContaining({ code: "SIGNATURE_INVALID" });
const account = (value: string): Sent => ({ hint: { kind: "account", value } });
const other = { address: "192.0.2.2" };

/** The codes in refusals, each with its number. */
async function refusals(answers: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(answers)) {
    const code = outcome.status === "fulfilled" ? "accepted" : (outcome.reason as { code: string }).code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

it("invented accounts cost few statements, and block only lookups of their address", async () => {
  const { intake, seen, hint } = anIntake();
  const flood = Array.from({ length: 500 }, (_, place) =>
    intake.ingest(arrived({ ...account(`invented-${place}`), token: "wrong" })),
  );
  expect(await refusals(flood)).toEqual({ SIGNATURE_INVALID: 120, RATE_LIMITED: 380 });
  expect(seen.statements).toBe(122);
  await expect(intake.ingest(arrived(account("acct")))).rejects.toThrow(rateLimited);
  for (const changes of [{ ...account("acct"), ...other }, { hint, ...other }, other])
    await expect(intake.ingest(arrived(changes))).resolves.toMatchObject({ accepted: [{}] });
  await expect(intake.ingest(arrived({ hint }))).resolves.toMatchObject({ accepted: [{}] });
});

it("an account that is known may send as often as its provider", async () => {
  const { intake } = anIntake();
  const requests = Array.from({ length: 400 }, () => intake.ingest(arrived(account("acct"))));
  expect(await refusals(requests)).toEqual({ accepted: 400 });
});

it("wrong signatures without a hint block neither hinted deliveries nor those of other addresses", async () => {
  const { intake, hint } = anIntake();
  for (let time = 0; time < 120; time += 1)
    await expect(intake.ingest(arrived({ token: "a wrong token" }))).rejects.toThrow(notVerified);
  await expect(intake.ingest(arrived())).rejects.toThrow(rateLimited);
  for (const changes of [{ hint }, account("acct"), other])
    await expect(intake.ingest(arrived(changes))).resolves.toMatchObject({ accepted: [{}] });
});

it("a batch counts as its events, before any of them is recorded", async () => {
  const { intake, seen } = anIntake();
  await intake.ingest(arrived({ events: 1000 }));
  await expect(intake.ingest(arrived({ events: 300 }))).rejects.toThrow(rateLimited);
  expect(seen.recorded).toBe(1000);
  await intake.ingest(arrived({ events: 199 }));
  await expect(intake.ingest(arrived())).rejects.toThrow(rateLimited);
});

it("names the events of a batch that conflict, and records the others", async () => {
  const { intake, seen } = anIntake();
  const delivery = arrived({ events: 3 });
  const [first, second, third] = JSON.parse(delivery.message.body.toString()) as { id: string }[];
  seen.conflicts.push(second?.id ?? "");
  expect(await intake.ingest(delivery)).toMatchObject({ accepted: [{}, {}], conflicts: [second?.id] });
  expect(seen.warned).toEqual([expect.objectContaining({ provider: "vendorx", events: 3, conflicts: 1 })]);
  seen.conflicts.push(first?.id ?? "", third?.id ?? "");
  await expect(intake.ingest(delivery)).rejects.toThrow(expect.objectContaining({ code: "DELIVERY_CONFLICT" }));
});

it("tells of deliveries with the same tenants once a minute in the log, and each time to the tenants", async () => {
  const { intake, seen } = anIntake([aTenant(), aTenant()]);
  for (let time = 0; time < 5; time += 1) await expect(intake.ingest(arrived())).rejects.toThrow(notVerified);
  expect([seen.lines, seen.refusals.length]).toEqual([1, 10]);
});

describe("a request before its body is read", () => {
  const context = requestContext({ principal: undefined, trace: continueTrace(undefined), address: "192.0.2.1" });
  const body = () => {
    const state = { isRead: false };
    async function* parts() {
      state.isRead = true;
      yield Buffer.from("[]");
    }
    return { seen: state, source: parts() };
  };
  const request = (query: string, method = "POST", source: AsyncIterable<Uint8Array> = body().source) => ({
    ...{ providerKey: "vendorx", headers: ["content-type", "application/json"], path: `/deliveries${query}` },
    ...{ method, body: source },
  });

  it("takes no memory for a resource that does not exist, or whose failures are too many", async () => {
    const { intake, hint } = anIntake();
    const unknown = body();
    const inventedQuery = `?subscription=${newId("whs")}`;
    await expect(intake.receive(request(inventedQuery, "POST", unknown.source), context)).rejects.toThrow(notVerified);
    expect(unknown.seen.isRead).toBe(false);
    const knownQuery = `?subscription=${hint.value}`;
    for (let time = 0; time < 120; time += 1)
      await expect(intake.receive(request(knownQuery), context)).rejects.toThrow(notVerified);
    const blockedBody = body();
    await expect(intake.receive(request(knownQuery, "POST", blockedBody.source), context)).rejects.toThrow(rateLimited);
    expect(blockedBody.seen.isRead).toBe(false);
  });

  it("is answered as a test of the URL 120 times in a minute of an address, and only at a known resource", async () => {
    const { intake, hint } = anIntake();
    const ask = (query: string) => intake.receive(request(query, "GET"), context);
    const knownQuery = `?subscription=${hint.value}&challenge=abc`;
    const refusal = expect.objectContaining({ code: "METHOD_NOT_ALLOWED" });
    for (const query of ["?challenge=abc", "?account=acct&challenge=abc", `?subscription=${hint.value}`])
      await expect(ask(query)).rejects.toThrow(refusal);
    await expect(ask(`?subscription=${newId("whs")}&challenge=abc`)).rejects.toThrow(refusal);
    const answers = await refusals(Array.from({ length: 130 }, () => ask(knownQuery)));
    expect(answers).toEqual({ accepted: 119, RATE_LIMITED: 11 });
  });
});
