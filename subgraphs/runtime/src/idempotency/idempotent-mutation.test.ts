import { randomUUID } from "node:crypto";
import type { Principal } from "../auth/principal.js";
import { continueTrace } from "../telemetry/trace.js";
import { type RequestContext, requestContext } from "../tenancy/request-context.js";
import { aDatabase, aTenant, noteTable, type TestDatabase } from "../unit-of-work/database.fixture.js";
import type { Transaction } from "../unit-of-work/database.js";
import { idempotentMutation } from "./idempotent-mutation.js";

describe("an idempotent mutation", () => {
  let test: TestDatabase;
  let prepareCalls: number;

  beforeAll(async () => {
    test = await aDatabase();
  });
  afterAll(() => test.close());
  beforeEach(() => {
    prepareCalls = 0;
  });

  const tenant = aTenant();
  const caller = (key: string | undefined, subject = "cli_a", tenantId = tenant.tenantId): RequestContext =>
    requestContext({
      principal: { subject, tenantId } as Principal,
      trace: continueTrace(undefined),
      idempotencyKey: key,
    });

  const addNote = (context: RequestContext, text: string, fail = false) =>
    idempotentMutation(test.database, context, {
      field: "addNote",
      arguments: { text },
      prepare: async () => {
        prepareCalls += 1;
      },
      commit: async ({ em, tenant: owner, record }) => {
        const noteId = randomUUID();
        em.persist(em.create(noteTable, { tenantId: owner.uuid, noteId, text }));
        record({ type: "TemplateRegistered", subject: `templates/${noteId}`, data: {} });
        if (fail) throw new Error("refused");
        return { noteId, text };
      },
    });

  const notes = async (text: string) =>
    test.database.transaction(tenant, { trace: continueTrace(undefined) }, ({ em }) => em.count(noteTable, { text }));

  it("takes effect once and answers the same again, marked as a replay", async () => {
    const first = await addNote(caller("once"), "once");
    const second = caller("once");
    expect(await addNote(second, "once")).toEqual(first);
    expect(second.replayed).toBe(true);
    expect(await notes("once")).toBe(1);
    expect(prepareCalls).toBe(1);
  });

  it("takes effect once under 20 requests at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => addNote(caller("race"), "race")));
    expect(new Set(answers.map(({ noteId }) => noteId)).size).toBe(1);
    expect(await notes("race")).toBe(1);
  });

  it("a deadlock repeats what is committed and not what was prepared", async () => {
    const context = caller("deadlock");
    let commits = 0;
    const mutation = {
      field: "addNote",
      arguments: {},
      prepare: async () => {
        prepareCalls += 1;
      },
      commit: async ({ em, tenant: owner, execute }: Transaction) => {
        commits += 1;
        em.persist(em.create(noteTable, { tenantId: owner.uuid, noteId: randomUUID(), text: "deadlock" }));
        await em.flush();
        if (commits < 3) await execute("do $$ begin raise exception using errcode = '40P01'; end $$");
        return { commits };
      },
    };
    expect(await idempotentMutation(test.database, context, mutation)).toEqual({ commits: 3 });
    expect(context.replayed).toBe(false);
    expect(await idempotentMutation(test.database, context, mutation)).toEqual({ commits: 3 });
    expect([prepareCalls, commits, await notes("deadlock"), context.replayed]).toEqual([1, 3, 1, true]);
  });

  it("refuses the key with other arguments", async () => {
    await addNote(caller("reused"), "reused");
    await expect(addNote(caller("reused"), "another")).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("keeps keys of other principals and tenants apart", async () => {
    const mine = await addNote(caller("shared"), "shared");
    const theirs = await addNote(caller("shared", "cli_b"), "shared");
    const elsewhere = await addNote(caller("shared", "cli_a", aTenant().tenantId), "shared");
    expect(new Set([mine.noteId, theirs.noteId, elsewhere.noteId]).size).toBe(3);
  });

  it("keeps keys of an agent apart from those of its subject, and its tasks apart", async () => {
    const delegatedCall = (actors: string[], agentTaskId?: string) =>
      requestContext({
        principal: { subject: "cli_a", tenantId: tenant.tenantId, actors, agentTaskId } as unknown as Principal,
        trace: continueTrace(undefined),
        idempotencyKey: "delegated",
      });
    const callers = [[], ["cli_agent"], ["cli_other"]].map((actors) => delegatedCall(actors, "task-1"));
    const ids = new Set<string>();
    for (const context of [...callers, delegatedCall(["cli_agent"], "task-2")])
      ids.add((await addNote(context, "delegated")).noteId);
    expect(ids.size).toBe(4);
  });

  it("stores nothing when the mutation fails, so that the key can be used again", async () => {
    await expect(addNote(caller("retry"), "retry", true)).rejects.toThrow("refused");
    await addNote(caller("retry"), "retry");
    expect(await notes("retry")).toBe(1);
  });

  it.each(["", "with space", "x".repeat(256), "ümlaut"])("refuses the key %j", async (key) => {
    await expect(addNote(caller(key), "bad")).rejects.toMatchObject({ code: "IDEMPOTENCY_KEY_INVALID" });
  });
});
