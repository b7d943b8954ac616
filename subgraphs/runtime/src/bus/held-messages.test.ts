import { DomainError } from "../errors/domain-error.js";
import type { Envelope } from "../messages/envelope.js";
import { aTenant, until } from "../unit-of-work/database.fixture.js";
import { aBus, anEvent, type TestBus } from "./bus.fixture.js";
import { UnreadableMessage } from "./bus.js";
import { defaultPauses } from "./failure.js";
import type { PostgresBus } from "./postgres-bus.js";

/** Messages that wait for something that does not answer are tried again after a short pause. */
const pauses = { ...defaultPauses, outage: { atFirst: 20, later: 20 }, standstill: 20 };

type Fault = (envelope: Envelope) => Error | undefined;

describe("a message that its consumer cannot handle", () => {
  let behind: TestBus;
  let bus: PostgresBus;
  let group: string;
  let handledNames: string[];
  let attemptCounts: Map<string, number>;
  let count = 0;

  beforeAll(async () => {
    behind = await aBus();
  });
  afterAll(() => behind.close());
  beforeEach(async () => {
    bus = await behind.open({ pauses });
    group = `group${++count}`;
    handledNames = [];
    attemptCounts = new Map();
    // each test sees its own messages only
    await behind.rows(
      "insert into bus.consumers (name, position) select $1, coalesce(max(position), 0) from bus.messages",
      group,
    );
  });
  afterEach(() => bus.close());

  /** Handles message by message, and notes `aggregate turn` for each success and how often each was tried. */
  const subscribe = (fault: Fault, on = bus) =>
    on.subscribe({
      group,
      handle: async (messages) => {
        for (const { envelope } of messages) {
          const name = `${envelope.partitionkey} ${String(envelope.data["turn"])}`;
          attemptCounts.set(name, (attemptCounts.get(name) ?? 0) + 1);
          const error = fault(envelope);
          if (error) throw error;
          if (!handledNames.includes(name)) handledNames.push(name);
        }
      },
    });
  const heldRows = () =>
    behind.rows<{ partition_key: string; attempts: number; error: string | null }>(
      "select partition_key, attempts, error from bus.held where consumer = $1 order by position",
      group,
    );
  const deadLetters = () =>
    behind.rows<{ position: string; error: string }>(
      "select position, error from bus.dead_letters where consumer = $1 order by position",
      group,
    );
  /** Held messages are tried again now. */
  const hurry = () => behind.rows("update bus.held set not_before = now() where consumer = $1", group);
  const isKey = (key: string) => (envelope: Envelope) => envelope.partitionkey === key;
  const poison =
    (...keys: string[]): Fault =>
    ({ partitionkey }) =>
      keys.includes(partitionkey) ? new Error("poison") : undefined;

  it("blocks only its own key, whose later messages wait in order", async () => {
    const [a, b] = [aTenant(), aTenant()];
    let sick = true;
    await subscribe((envelope) => (sick && isKey("x")(envelope) ? new Error("not now") : undefined));
    await bus.publish([anEvent(a, "x", 1), anEvent(a, "y", 1), anEvent(b, "z", 1), anEvent(a, "x", 2)]);
    await until(() => handledNames.includes("y 1") && handledNames.includes("z 1"));
    await bus.publish([anEvent(a, "x", 3), anEvent(a, "y", 2), anEvent(b, "z", 2)]);
    await until(() => handledNames.includes("y 2") && handledNames.includes("z 2"));
    expect(handledNames.some((name) => name.startsWith("x"))).toBe(false);
    sick = false;
    await until(() => handledNames.length === 7);
    expect(handledNames.filter((name) => name.startsWith("x"))).toEqual(["x 1", "x 2", "x 3"]);
    await until(async () => (await heldRows()).length === 0);
  });

  it("does not affect other tenants, whose messages are tried at most twice", async () => {
    const [hostile, other] = [aTenant(), aTenant()];
    const bad = Array.from({ length: 5 }, (_, index) => `poison${index}`);
    await subscribe(poison(...bad));
    await bus.publish(bad.flatMap((key, turn) => [anEvent(hostile, key), anEvent(other, "good", turn)]));
    for (let turn = 5; turn < 100; turn += 1) await bus.publish([anEvent(other, "good", turn)]);
    await until(() => handledNames.length === 100);
    expect(handledNames).toEqual(Array.from({ length: 100 }, (_, turn) => `good ${turn}`));
    expect(await deadLetters()).toEqual([]);
    expect(
      Math.max(...[...attemptCounts].filter(([name]) => name.startsWith("good")).map(([, times]) => times)),
    ).toBeLessThanOrEqual(2);
  });

  it("is tried five times in total, also across a restart, then becomes a dead letter, and its key continues", async () => {
    const tenant = aTenant();
    const fault: Fault = ({ partitionkey, data }) =>
      partitionkey === "x" && data["turn"] === 1 ? new Error("a bug") : undefined;
    await subscribe(fault);
    await bus.publish([anEvent(tenant, "x", 1)]);
    await until(async () => ((await heldRows())[0]?.attempts ?? 0) >= 2);
    await bus.publish([anEvent(tenant, "x", 2)]);
    await until(async () => (await heldRows()).length === 2);
    await bus.close();
    // the log has forgotten what the group has passed
    await behind.rows("delete from bus.messages");
    bus = await behind.open();
    await subscribe(fault);
    await until(async () => {
      await hurry();
      return (await deadLetters()).length === 1;
    });
    await until(() => handledNames.length > 0);
    expect(attemptCounts.get("x 1")).toBe(5);
    expect(handledNames).toEqual(["x 2"]);
    expect(await deadLetters()).toEqual([{ position: expect.any(String), error: "Error: a bug" }]);
  });

  it("becomes a dead letter at once when it cannot be read", async () => {
    await subscribe((envelope) => (isKey("torn")(envelope) ? new UnreadableMessage("torn") : undefined));
    await bus.publish([anEvent(aTenant(), "torn"), anEvent(aTenant(), "whole")]);
    await until(async () => (await deadLetters()).length === 1 && handledNames.length === 1);
    expect(attemptCounts.get("torn 1")).toBeLessThanOrEqual(3);
  });

  it("waits without counting attempts while something does not answer", async () => {
    let away = true;
    await subscribe(() => (away ? new DomainError("UNAVAILABLE") : undefined));
    await bus.publish([anEvent(aTenant(), "outage")]);
    await until(() => (attemptCounts.get("outage 1") ?? 0) > 6);
    expect(await deadLetters()).toEqual([]);
    expect((await heldRows()).map(({ attempts }) => attempts)).toEqual([0]);
    away = false;
    await until(() => handledNames.length === 1);
  });

  it("lets the messages of its key that waited behind it follow in batches and in order, also around a poison", async () => {
    const tenant = aTenant();
    let away = true;
    const sizes: number[] = [];
    await bus.subscribe({
      group,
      handle: async (messages) => {
        sizes.push(messages.length);
        if (away) throw new DomainError("UNAVAILABLE");
        const turns = messages.map(({ envelope }) => String(envelope.data["turn"]));
        if (turns.includes("150")) throw new UnreadableMessage("poison");
        handledNames.push(...turns);
      },
    });
    await bus.publish([anEvent(tenant, "busy", 1)]);
    await until(async () => (await heldRows()).length === 1);
    for (let turn = 2; turn <= 200; turn += 1) await bus.publish([anEvent(tenant, "busy", turn)]);
    await until(async () => (await heldRows()).length === 200);
    const triedBefore = sizes.length;
    away = false;
    await until(() => handledNames.length === 199);
    expect(handledNames).toEqual(
      Array.from({ length: 200 }, (_, place) => String(place + 1)).filter((turn) => turn !== "150"),
    );
    expect((await deadLetters()).map(({ error }) => error)).toEqual(["UnreadableMessage: poison"]);
    const tries = sizes.slice(triedBefore);
    expect(Math.max(...tries)).toBe(50);
    expect(tries.filter((size) => size === 1).length).toBeLessThan(100);
  });

  it("stays in the log while several tenants fail because something does not answer", async () => {
    let away = true;
    await subscribe(() => (away ? new DomainError("UNAVAILABLE") : undefined));
    await bus.publish([anEvent(aTenant(), "one"), anEvent(aTenant(), "two")]);
    await until(() => (attemptCounts.get("two 1") ?? 0) > 1);
    await until(async () => (await heldRows()).length === 0);
    away = false;
    await until(() => handledNames.length === 2);
  });

  const tooLong = () => Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });

  it("that causes a statement timeout five times alone becomes a dead letter", async () => {
    await subscribe((envelope) => (isKey("slow")(envelope) ? tooLong() : undefined));
    await bus.publish([anEvent(aTenant(), "slow")]);
    await until(async () => {
      await hurry();
      return (await deadLetters()).length === 1;
    });
    expect(attemptCounts.get("slow 1")).toBe(5);
  });

  it("that causes a statement timeout while others do too waits", async () => {
    let overload = true;
    await subscribe(() => (overload ? tooLong() : undefined));
    await bus.publish([anEvent(aTenant(), "one")]);
    await until(async () => (await heldRows()).length === 1);
    await bus.publish([anEvent(aTenant(), "two")]);
    await until(async () => (await heldRows()).length === 2);
    await until(() => (attemptCounts.get("one 1") ?? 0) > 6);
    expect(await deadLetters()).toEqual([]);
    overload = false;
    await until(() => handledNames.length === 2);
  });

  it("is held up to the limit of its tenant: further messages become dead letters, and other tenants continue", async () => {
    const [hostile, other] = [aTenant(), aTenant()];
    await behind.rows(
      `insert into bus.held (consumer, position, tenant, partition_key, envelope, attempts, not_before)
       select $1, -number, $2, 'full', '{}', 1, now() + interval '1 day' from generate_series(1, 999) as number`,
      group,
      hostile.tenantId,
    );
    await subscribe(() => undefined);
    await bus.publish([...Array.from({ length: 4 }, () => anEvent(hostile, "full")), anEvent(other, "free")]);
    await until(() => handledNames.length === 1);
    await until(async () => (await deadLetters()).length === 3);
    expect(await heldRows()).toHaveLength(1000);
    expect((await deadLetters())[0]?.error).toBe("1000 messages of this tenant are held already");
    await behind.rows("delete from bus.held where consumer = $1", group);
  });

  it("is listed without its content and can be tried again on request", async () => {
    const tenant = aTenant();
    let sick = true;
    await subscribe(() => (sick ? new UnreadableMessage("sick") : undefined));
    const event = anEvent(tenant, "redriven");
    await bus.publish([event]);
    await until(async () => (await deadLetters()).length === 1);
    const [letter] = await bus.deadLetters.list({ consumer: group, limit: 10 });
    expect(letter).toEqual({
      consumer: group,
      position: expect.any(String),
      messageId: event.id,
      tenantId: tenant.tenantId,
      type: "TemplateRegistered",
      ageSeconds: expect.any(Number),
      error: "UnreadableMessage: sick",
    });
    const position = letter?.position ?? "";
    expect(await bus.deadLetters.list({ consumer: group, after: { consumer: group, position }, limit: 10 })).toEqual(
      [],
    );
    const backlog = async () => (await bus.deadLetters.backlog()).find(({ consumer }) => consumer === group);
    expect(await backlog()).toEqual({ consumer: group, held: 0, deadLetters: 1 });
    sick = false;
    expect(await bus.deadLetters.redrive(group, position)).toMatch(/^ten_/);
    await until(() => handledNames.length === 1);
    expect(await bus.deadLetters.redrive(group, position)).toBeUndefined();
    await until(async () => (await backlog())?.held === 0);
    expect(await backlog()).toEqual({ consumer: group, held: 0, deadLetters: 0 });
  });
});
