import pg from "pg";
import { aDatabase, aTenant, quiet, type TestDatabase } from "../db/database.fixture.js";
import { DomainError } from "../errors/domain-error.js";
import { sealCommand } from "../outbox/command.js";
import { type Envelope, sealEnvelope } from "../outbox/envelope.js";
import { continueTrace } from "../telemetry/trace.js";
import { UnreadableMessage } from "./bus.js";
import { PostgresBus } from "./postgres-bus.js";

const cause = { trace: continueTrace(undefined) };

async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("the bus in PostgreSQL", () => {
  let test: TestDatabase;
  let bus: PostgresBus;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
  });
  afterEach(() => bus.close());

  const envelopes = (count: number, text: string): Envelope[] =>
    Array.from({ length: count }, (_, index) =>
      sealEnvelope(
        { type: "TemplateRegistered", subject: `templates/${text}${index}`, data: {} },
        aTenant().tenantId,
        cause,
      ),
    );

  /** The subjects a consumer of everything sees that begin with `templates/<text>`. */
  const follow = async (text: string, group = text) => {
    const seen: string[] = [];
    await bus.subscribe({
      group,
      handle: async (messages) => {
        for (const { envelope } of messages)
          if (envelope.subject.startsWith(`templates/${text}`)) seen.push(envelope.subject);
      },
    });
    return seen;
  };

  it("delivers every message in the order of its publishing, the same id once", async () => {
    const batch = envelopes(450, "order");
    await bus.publish(batch);
    await bus.publish(batch.slice(0, 10));
    const seen = await follow("order");
    await until(() => seen.length >= 450);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(seen).toEqual(batch.map(({ subject }) => subject));
  });

  it("continues after a restart where the group stood", async () => {
    const before = await follow("restart");
    await bus.publish(envelopes(3, "restart-a"));
    await until(() => before.length === 3);
    await bus.close();
    bus = await PostgresBus.open(test.definition.connections.worker, quiet);
    await bus.publish(envelopes(2, "restart-b"));
    const after = await follow("restart");
    await until(() => after.length === 2);
    expect(after.every((subject) => subject.startsWith("templates/restart-b"))).toBe(true);
  });

  it("tries a failing message again while later ones wait, then goes on", async () => {
    const seen: string[] = [];
    let failures = 0;
    await bus.subscribe({
      group: "poison",
      handle: async (messages) => {
        for (const { envelope } of messages) {
          if (!envelope.subject.startsWith("templates/poison")) continue;
          if (envelope.subject === "templates/poison1" && failures < 2) {
            failures += 1;
            throw new Error("not now");
          }
          if (!seen.includes(envelope.subject)) seen.push(envelope.subject);
        }
      },
    });
    await bus.publish(envelopes(3, "poison"));
    await until(() => seen.length === 3);
    expect(seen).toEqual(["templates/poison0", "templates/poison1", "templates/poison2"]);
  });

  const aCommand = () =>
    sealCommand(
      { type: "PublishLibraryVersion", subject: "library-versions/lbv", data: {} },
      "spine",
      aTenant().tenantId,
      { ...cause, actorId: "cli_a", actorScopes: new Set(["libraries.publish"]) },
    );
  const parked = async (group: string) =>
    (await query("select from bus.dead_letters where consumer = $1", group)).length;
  const query = async (text: string, ...values: unknown[]) => {
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    try {
      return (await admin.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await admin.end();
    }
  };

  it("keeps commands from consumers of events, and events from those of commands", async () => {
    const events = await follow("kinds");
    const everything: string[] = [];
    const commands: string[] = [];
    await bus.subscribe({
      group: "kinds-all",
      handle: async (messages) => void everything.push(...messages.map(({ envelope }) => envelope.messagekind)),
    });
    await bus.subscribe({
      group: "kinds-commands",
      kind: "command",
      types: ["PublishLibraryVersion"],
      handle: async (messages) => void commands.push(...messages.map(({ envelope }) => envelope.id)),
    });
    const [first, second] = [aCommand(), aCommand()];
    await bus.publish([first, ...envelopes(1, "kinds-a"), second, ...envelopes(1, "kinds-b")]);
    await until(() => events.length === 2 && commands.length === 2);
    expect(commands).toEqual([first.id, second.id]);
    expect(new Set(everything)).toEqual(new Set(["event"]));
  });

  it("lets a consumer that nothing is for pass the messages of others", async () => {
    const seen: string[] = [];
    await bus.subscribe({
      group: "stranger",
      types: ["TenantSuspended"],
      handle: async (messages) => void seen.push(...messages.map(({ envelope }) => envelope.subject)),
    });
    await bus.publish(envelopes(450, "stranger"));
    await until(async () => {
      const [row] = await query(
        `select (select max(position) from bus.messages) - position < 200 as passed
         from bus.consumers where name = 'stranger'`,
      );
      return row?.["passed"] === true;
    });
    await bus.publish([sealEnvelope({ type: "TenantSuspended", subject: "tenants/late", data: {} }, "ten", cause)]);
    await until(() => seen.length === 1);
  });

  it("parks at once what its consumer cannot read", async () => {
    const seen: string[] = [];
    await bus.subscribe({
      group: "unreadable",
      handle: async (messages) => {
        for (const { envelope } of messages) {
          if (envelope.subject === "templates/unreadable0") throw new UnreadableMessage("torn");
          if (envelope.subject.startsWith("templates/unreadable")) seen.push(envelope.subject);
        }
      },
    });
    await bus.publish(envelopes(2, "unreadable"));
    await until(() => seen.length === 1);
    expect(await parked("unreadable")).toBe(1);
  });

  it("parks nothing while something is not available", async () => {
    let attempts = 0;
    await bus.subscribe({
      group: "outage",
      handle: async (messages) => {
        if (!messages.some(({ envelope }) => envelope.subject === "templates/outage0")) return;
        attempts += 1;
        throw new DomainError("UNAVAILABLE");
      },
    });
    await bus.publish(envelopes(1, "outage"));
    await until(() => attempts >= 3);
    expect(await parked("outage")).toBe(0);
  });

  it("reconnects after its connections were ended", async () => {
    const seen = await follow("cut");
    const admin = new pg.Client({ connectionString: test.url });
    await admin.connect();
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'catalog_worker'");
    await admin.end();
    await until(async () =>
      bus.publish(envelopes(1, "cut")).then(
        () => true,
        () => false,
      ),
    );
    await until(() => seen.length > 0);
  });
});
