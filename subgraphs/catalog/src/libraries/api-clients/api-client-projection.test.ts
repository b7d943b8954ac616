import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent, type Envelope } from "@factory/runtime/messages/envelope";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { EventType } from "@factory/schema/event-names";
import { aCaller, aLibrarySearch, type LibrarySearchFixture } from "../library-search/library-search.fixture.js";
import { ApiClientProjection } from "./api-client-projection.js";

let fixture: LibrarySearchFixture;
let bus: PostgresBus;
let projection: ApiClientProjection;

beforeAll(async () => {
  fixture = await aLibrarySearch();
  bus = await PostgresBus.open(fixture.connections.worker, createLogger("test", "silent"));
  projection = new ApiClientProjection(fixture.database);
  await bus.subscribe(projection.consumer());
});

afterAll(async () => {
  await bus.close();
  await fixture.close();
});

interface Provider {
  readonly tenantId: string;
  readonly providerId: string;
  readonly apiClientId: string;
  readonly key: string;
}

const aProvider = (key = "stripe", tenantId = newId("ten")): Provider => ({
  tenantId,
  providerId: newId("prv"),
  apiClientId: newId("apc"),
  key,
});

/** As integration publishes it, `minute` minutes after the start of the story. */
function told(provider: Provider, type: EventType, minute: number, changes: object = {}): Envelope {
  const { tenantId, providerId, apiClientId, key } = provider;
  const registration = {
    key,
    displayName: key.toUpperCase(),
    category: "Payment",
    authModel: "ApiKey",
    apiClient: null,
    apiClientId,
    capabilities: ["payment.charge", "payment.refund"],
    status: "Registered",
  };
  const hasDetails = type === "ProviderRegistered" || type === "ProviderUpdated";
  const data = { providerId, ...(hasDetails ? registration : {}), ...changes };
  const event = { type, subject: `providers/${providerId}`, data };
  const envelope = createEvent(event, tenantId, { trace: continueTrace(undefined) });
  return { ...envelope, time: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString() };
}

const resultsFor = async ({ tenantId }: Provider, capability = "payment.refund") =>
  (await fixture.search(aCaller(tenantId), { capability, includeApiClients: true })).results;

const isFound = async (provider: Provider) => (await resultsFor(provider)).length === 1;

const take = (...envelopes: Envelope[]) =>
  projection.project(envelopes.map((envelope, at) => ({ position: String(at), envelope })));

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("API clients over the bus", () => {
  it("are found when they are asked for, and gone when their provider is", async () => {
    const provider = aProvider();
    await bus.publish([told(provider, "ProviderRegistered", 0)]);
    await eventually(() => isFound(provider));
    expect(await resultsFor(provider)).toEqual([
      {
        libraryId: provider.apiClientId,
        apiClientId: provider.apiClientId,
        providerId: provider.providerId,
        packageName: "stripe",
        matchedCapability: "payment.refund",
        latestVersion: null,
        matchedOn: "ExactName",
        source: "ApiClient",
      },
    ]);
    const caller = aCaller(provider.tenantId);
    expect((await fixture.search(caller, { capability: "payment.refund" })).total).toBe(0);
    expect((await fixture.search(aCaller(), { includeApiClients: true })).total).toBe(0);
    await bus.publish([told(provider, "ProviderDisabled", 1)]);
    await eventually(async () => !(await isFound(provider)));
    await bus.publish([told(provider, "ProviderEnabled", 2)]);
    await eventually(() => isFound(provider));
    await bus.publish([told(provider, "ProviderRetired", 3)]);
    await eventually(async () => !(await isFound(provider)));
  });

  it("stand beside libraries in one order, page by page", async () => {
    const provider = aProvider("middle");
    const caller = aCaller(provider.tenantId);
    for (const packageName of ["After", "Last"])
      await fixture.register(caller, { packageName, area: "payment", capabilities: [{ name: "payment.refund" }] });
    await fixture.register(caller, { packageName: "Other", capabilities: [{ name: "refund" }] });
    await take(told(provider, "ProviderRegistered", 0));
    const names: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const searchInput = {
        capability: "payment.refund",
        area: "PAYMENT",
        targetFramework: "net8.0",
        status: "Active" as const,
      };
      const page = await fixture.search(caller, { ...searchInput, includeApiClients: true, limit: 1, cursor });
      expect(page.total).toBe(3);
      names.push(...page.results.map(({ packageName }) => packageName));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(names).toEqual(["After", "Last", "middle"]);
    expect((await fixture.search(caller, { owner: "anybody", includeApiClients: true })).total).toBe(0);
    expect((await fixture.search(caller, { tags: ["any"], includeApiClients: true })).total).toBe(0);
    expect((await fixture.search(caller, { includeApiClients: true })).total).toBe(4);
  });
});

describe("the projection", () => {
  it.each([
    ["ProviderDeprecated", false],
    ["ProviderDisabled", false],
    ["ProviderRetired", false],
    ["ProviderEnabled", true],
  ] as const)("after %s shows it: %s, in whatever order the events come, and again", async (type, isShown) => {
    const provider = aProvider();
    const [registeredEvent, changedEvent] = [told(provider, "ProviderRegistered", 0), told(provider, type, 1)];
    await take(changedEvent, registeredEvent);
    expect(await isFound(provider)).toBe(isShown);
    await take(registeredEvent, changedEvent, changedEvent, registeredEvent);
    expect(await isFound(provider)).toBe(isShown);
    const reverse = aProvider();
    await take(told(reverse, "ProviderRegistered", 0), told(reverse, type, 1));
    expect(await isFound(reverse)).toBe(isShown);
  });

  it("takes the details of the latest event that has them", async () => {
    const changes = { displayName: "Other", category: "Other", capabilities: ["payment.charge", "payout.send"] };
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ] as const;
    for (const order of orders) {
      const provider = aProvider();
      const story = [
        told(provider, "ProviderRegistered", 0),
        told(provider, "ProviderUpdated", 1, { capabilities: ["payment.refund", "old.name"] }),
        told(provider, "ProviderUpdated", 2, changes),
      ];
      for (const at of order) await take(story[at] as Envelope);
      await take(...story);
      const byCapability = await Promise.all(
        ["payment.refund", "old.name", "payment.charge", "payout.send"].map((name) => resultsFor(provider, name)),
      );
      expect(byCapability.map(({ length }) => length)).toEqual([0, 0, 1, 1]);
    }
  });

  it("does not show a provider that was changed while it was Disabled", async () => {
    const provider = aProvider();
    const disabledEvent = told(provider, "ProviderDisabled", 1);
    const updatedEvent = told(provider, "ProviderUpdated", 2, { status: "Disabled" });
    await take(told(provider, "ProviderRegistered", 0), disabledEvent, updatedEvent);
    expect(await isFound(provider)).toBe(false);
    await take(told(provider, "ProviderEnabled", 3));
    expect(await isFound(provider)).toBe(true);
  });

  it("goes by the time of the events, not by their arrival", async () => {
    const provider = aProvider();
    await take(
      told(provider, "ProviderEnabled", 2),
      told(provider, "ProviderRegistered", 0),
      told(provider, "ProviderDisabled", 1),
    );
    expect(await isFound(provider)).toBe(true);
    await take(told(provider, "ProviderDeprecated", 3), told(provider, "ProviderEnabled", 2));
    expect(await isFound(provider)).toBe(false);
  });

  it("keeps tenants with equal keys apart", async () => {
    const [ours, theirs] = [aProvider("same"), aProvider("same")];
    await take(
      told(ours, "ProviderRegistered", 0),
      told(theirs, "ProviderRegistered", 0),
      told(theirs, "ProviderDisabled", 1),
    );
    expect([await isFound(ours), await isFound(theirs)]).toEqual([true, false]);
  });

  it("ignores events that are not events of a provider", async () => {
    const provider = aProvider();
    const registeredEvent = told(provider, "ProviderRegistered", 0);
    await take(
      { ...registeredEvent, subject: "providers/else", data: {} },
      { ...registeredEvent, time: "yesterday" },
      { ...registeredEvent, data: { ...registeredEvent.data, apiClientId: newId("prv") } },
    );
    expect(await isFound(provider)).toBe(false);
    await take(told(provider, "ProviderRegistered", 0));
    expect(await isFound(provider)).toBe(true);
  });
});
