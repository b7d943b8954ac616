import { newId } from "@factory/runtime/identifiers/wire-id";
import { aPrincipal, eventually, type IntegrationFixture, sharedIntegration } from "../../integration.fixture.js";
import { type ProviderState, providerStates } from "./provider.states.js";

let fixture: IntegrationFixture;

beforeAll(async () => {
  fixture = await sharedIntegration();
});

afterAll(() => fixture.close());

type Principal = ReturnType<typeof aPrincipal>;

const movesTo = {
  Deprecated: { field: "deprecateProvider", event: "ProviderDeprecated" },
  Disabled: { field: "disableProvider", event: "ProviderDisabled" },
  Registered: { field: "enableProvider", event: "ProviderEnabled" },
  Retired: { field: "retireProvider", event: "ProviderRetired" },
} as const satisfies Record<ProviderState, object>;
const states = Object.keys(providerStates) as ProviderState[];

/** How a new provider comes into each state. */
const ways = {
  Registered: [],
  Deprecated: ["Deprecated"],
  Disabled: ["Disabled"],
  Retired: ["Disabled", "Retired"],
} as const satisfies Record<ProviderState, ProviderState[]>;

async function aProvider(principal: Principal, input: object = {}): Promise<string> {
  const { data } = await fixture.run(
    principal,
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key: "acme", displayName: "Acme", category: "Tool", authModel: "None", ...input } },
  );
  return data.registerProvider.providerId;
}

async function move(principal: Principal, to: ProviderState, providerId: string, options: MoveOptions = {}) {
  const { field } = movesTo[to];
  const { data, errors } = await fixture.run(
    principal,
    `mutation ($providerId: ID!, $input: ProviderMoveInput) {
       ${field}(providerId: $providerId, input: $input) { providerId key status statusReason } }`,
    { providerId, ...(options.input === undefined ? {} : { input: options.input }) },
    options.key,
  );
  return { value: data?.[field], error: errors?.[0]?.extensions, message: errors?.[0]?.message };
}

interface MoveOptions {
  readonly input?: { reason?: string | null } | null;
  readonly key?: string;
}

async function aProviderIn(principal: Principal, state: ProviderState): Promise<string> {
  const providerId = await aProvider(principal, { key: newId("prv").slice(4) });
  for (const to of ways[state]) await move(principal, to, providerId);
  return providerId;
}

async function statusOf(principal: Principal, providerId: string): Promise<unknown> {
  const query = "query ($id: ID!) { provider(providerId: $id) { status statusReason } }";
  return (await fixture.run(principal, query, { id: providerId })).data?.provider;
}

/** The provider's events after its registration, in the order in which they were written. */
async function told(providerId: string, count: number): Promise<{ type: string; data: unknown }[]> {
  return eventually(async () => {
    const rows = await fixture.rows<{ envelope: { type: string; data: unknown } }>(
      "select envelope from integration.event_log where envelope->>'subject' = $1 order by position",
      `providers/${providerId}`,
    );
    return rows.length > count ? rows.slice(1).map(({ envelope }) => envelope) : undefined;
  });
}

const pairs = states.flatMap((from) => states.map((to) => [from, to] as const));
const isAllowed = (from: ProviderState, to: ProviderState) => providerStates[from].next.some((next) => next === to);

describe("a provider", () => {
  it.each(pairs.filter((pair) => isAllowed(...pair)))("goes from %s to %s, and tells it", async (from, to) => {
    const principal = aPrincipal();
    const providerId = await aProviderIn(principal, from);
    const { value, error } = await move(principal, to, providerId, { input: { reason: "Because." } });
    expect(error).toBeUndefined();
    expect(value).toMatchObject({ providerId, status: to, statusReason: "Because." });
    expect(await statusOf(principal, providerId)).toEqual({ status: to, statusReason: "Because." });
    const events = await told(providerId, ways[from].length + 1);
    expect(events.at(-1)).toMatchObject({
      type: movesTo[to].event,
      data: { providerId, key: value.key, status: to, previousStatus: from, reason: "Because." },
    });
  });

  it.each(pairs.filter((pair) => !isAllowed(...pair)))("does not go from %s to %s", async (from, to) => {
    const principal = aPrincipal();
    const providerId = await aProviderIn(principal, from);
    const { value, error, message } = await move(principal, to, providerId, { input: { reason: "Because." } });
    expect(value).toBeNull();
    expect(message).toContain(`The provider is ${from}. It can become ${to} only from `);
    expect(error).toMatchObject({
      code: "INVALID_STATE",
      status: 409,
      currentState: from,
      allowed: states.filter((state) => isAllowed(state, to)),
    });
    expect(await statusOf(principal, providerId)).toEqual({ status: from, statusReason: null });
  });

  it("keeps no reason of an earlier state", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    await move(principal, "Disabled", providerId, { input: { reason: "Down." } });
    expect((await move(principal, "Registered", providerId)).value).toMatchObject({ statusReason: null });
    const events = await told(providerId, 2);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["ProviderDisabled", expect.objectContaining({ reason: "Down." })],
      ["ProviderEnabled", expect.objectContaining({ reason: null })],
    ]);
  });

  it("moves once when several ask at the same time", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const answers = await Promise.all(
      (["Disabled", "Disabled", "Disabled"] as const).map((to) => move(principal, to, providerId)),
    );
    expect(answers.filter(({ value }) => value?.status === "Disabled")).toHaveLength(1);
    expect(answers.filter(({ error }) => error?.["code"] === "INVALID_STATE")).toHaveLength(2);
    await move(principal, "Retired", providerId);
    expect((await told(providerId, 2)).map(({ type }) => type)).toEqual(["ProviderDisabled", "ProviderRetired"]);
  });

  it("loses no move to another one at the same time", async () => {
    const principal = aPrincipal();
    const providerId = await aProviderIn(principal, "Disabled");
    const [enableAnswer, retireAnswer] = await Promise.all([
      move(principal, "Registered", providerId),
      move(principal, "Retired", providerId),
    ]);
    // whichever came first leaves a state that the other cannot start from
    const [winner, loser] = enableAnswer.value ? [enableAnswer, retireAnswer] : [retireAnswer, enableAnswer];
    expect(loser.error).toMatchObject({ code: "INVALID_STATE", currentState: winner.value.status });
    expect(await statusOf(principal, providerId)).toMatchObject({ status: winner.value.status });
  });

  it("gives the first answer again for the same Idempotency-Key", async () => {
    const principal = aPrincipal();
    const providerId = await aProvider(principal);
    const first = await move(principal, "Disabled", providerId, { key: "one" });
    expect(first.value).toMatchObject({ status: "Disabled" });
    expect(await move(principal, "Disabled", providerId, { key: "one" })).toEqual(first);
    const other = await move(principal, "Disabled", providerId, { key: "one", input: { reason: "Else." } });
    expect(other.error).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    await move(principal, "Registered", providerId);
    expect((await told(providerId, 2)).map(({ type }) => type)).toEqual(["ProviderDisabled", "ProviderEnabled"]);
  });

  it.each(states)("asks for a reason of some length before it becomes %s", async (to) => {
    for (const reason of ["", "x".repeat(2001)])
      expect((await move(aPrincipal(), to, newId("prv"), { input: { reason } })).error).toMatchObject({
        code: "VALIDATION_FAILED",
      });
  });
});

describe("Query.providers", () => {
  const query = `query ($first: Int, $after: String, $filter: ProviderFilterInput) {
    providers(first: $first, after: $after, filter: $filter) {
      items { key } nextCursor edges { cursor node { status } } pageInfo { hasNextPage hasPreviousPage } } }`;

  const keysOf = (answer: Awaited<ReturnType<IntegrationFixture["run"]>>) =>
    answer.data?.providers.items.map(({ key }: { key: string }) => key);

  it("lists by key, page by page", async () => {
    const principal = aPrincipal();
    for (const key of ["c", "a", "b-1", "b"]) await aProvider(principal, { key });
    await aProvider(aPrincipal(), { key: "foreign" });
    const keys: string[][] = [];
    let after: string | null = null;
    do {
      const page = await fixture.run(principal, query, { first: 3, after });
      keys.push(keysOf(page));
      expect(page.data.providers.pageInfo).toEqual({ hasNextPage: keys.length === 1, hasPreviousPage: after !== null });
      after = page.data.providers.nextCursor;
    } while (after !== null);
    expect(keys).toEqual([["a", "b", "b-1"], ["c"]]);
  });

  it("finds what is to be retired", async () => {
    const principal = aPrincipal();
    const ids = [];
    for (const [key, category] of [
      ["pay", "Payment"],
      ["bank", "Payment"],
      ["mail", "Communication"],
    ])
      ids.push(await aProvider(principal, { key, category }));
    for (const id of ids.slice(1)) await move(principal, "Deprecated", id);
    const listKeys = async (filter: object) => keysOf(await fixture.run(principal, query, { filter }));
    expect(await listKeys({ status: "Deprecated" })).toEqual(["bank", "mail"]);
    expect(await listKeys({ status: "Deprecated", category: "Payment" })).toEqual(["bank"]);
    expect(await listKeys({ category: "Payment" })).toEqual(["bank", "pay"]);
    expect(await listKeys({ status: "Retired" })).toEqual([]);
    expect(await listKeys({ status: null, category: null })).toEqual(["bank", "mail", "pay"]);
  });

  it("refuses the cursor of another list", async () => {
    const principal = aPrincipal();
    for (const key of ["a", "b"]) await aProvider(principal, { key });
    const { data } = await fixture.run(principal, query, { first: 1 });
    const after = data.providers.nextCursor;
    const misuses = [
      fixture.run(principal, query, { after, filter: { status: "Registered" } }),
      fixture.run(aPrincipal(), query, { after }),
      fixture.run(principal, query, { after: "x" }),
    ];
    for (const { errors } of await Promise.all(misuses))
      expect(errors?.[0]?.extensions).toMatchObject({ code: "INVALID_CURSOR" });
    const none = await fixture.run(principal, query, { first: 0 });
    expect(none.errors?.[0]?.extensions).toMatchObject({ code: "VALIDATION_FAILED" });
  });
});
