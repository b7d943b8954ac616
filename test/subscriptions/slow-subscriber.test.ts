import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { rows } from "../kit/database.js";
import { anEventStream, type EventStream } from "../kit/event-stream.js";
import { eventually } from "../kit/eventually.js";
import { aRawSocket, type RawSocket } from "../kit/raw-socket.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

const query = `subscription ($after: String) { events(types: ["TemplateRegistered"], after: $after) { cursor data } }`;
/**
 * A portion is far below the limits for a subscriber's queue, so only a subscriber that does not read is too
 * slow.
 */
const portions = 7;
const portion = 100;
/** An event stream has no answers from its client, so the kernel takes some megabytes first. */
const streamedPortions = 30;
const eventLength = 4096;

interface ReceivedEvent {
  readonly data?: { readonly events: { readonly cursor: string } } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string; readonly cursor?: string } }[];
}

const resultsOf = ({ messages }: RawSocket) =>
  messages.filter(({ type }) => type === "next").map(({ payload }) => payload as ReceivedEvent);
const cursors = (socket: RawSocket) => resultsOf(socket).flatMap(({ data }) => (data ? [data.events.cursor] : []));
const errors = (socket: RawSocket) => resultsOf(socket).flatMap((answer) => answer.errors ?? []);

async function subscribed(token: string, after?: string): Promise<RawSocket> {
  const socket = await aRawSocket();
  socket.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
  await eventually("it is acknowledged", () => socket.messages.some(({ type }) => type === "connection_ack"));
  socket.send({ type: "subscribe", id: "1", payload: { query, variables: { after } } });
  return socket;
}

/** Writes one portion of events in one transaction, like the catalog but with larger data. */
async function writeEvents({ tenantId }: TestTenant): Promise<void> {
  const envelopes = Array.from({ length: portion }, () => {
    const data = { templateId: newId("tpl"), name: "x".repeat(eventLength) };
    const event = { type: "TemplateRegistered", subject: `templates/${data.templateId}`, data } as const;
    return createEvent(event, tenantId, { trace: continueTrace(undefined) });
  });
  await rows(
    `insert into catalog.outbox (id, tenant_id, type, envelope)
     select id::uuid, $1, 'TemplateRegistered', envelope::jsonb from unnest($2::text[], $3::text[]) as e (id, envelope)`,
    [
      decodeId("ten", tenantId),
      envelopes.map(({ id }) => decodeId("evt", id)),
      envelopes.map((envelope) => JSON.stringify(envelope)),
    ],
  );
}

describe("a subscriber that stops reading while events come", () => {
  it("gets SUBSCRIPTION_LAGGED with the cursor of its last event when it reads again, and misses nothing", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith();
    const slow = await subscribed(token);
    const fast = await subscribed(token);
    await eventually("both listen", async () => {
      await request("POST /v1/templates", { token, body: { name: `Heard ${Math.random()}` } });
      return cursors(slow).length > 0 && cursors(fast).length > 0;
    });
    slow.pause();
    for (let round = 0; round < portions; round += 1) {
      const expectedCount = cursors(fast).length + portion;
      await writeEvents(tenant);
      await eventually(`the fast one has portion ${round}`, () => cursors(fast).length >= expectedCount);
      expect(errors(fast)).toEqual([]);
    }
    slow.resume();
    await eventually("the slow subscriber gets the error", () => errors(slow).length > 0);
    const slowCursors = cursors(slow);
    expect(errors(slow)).toEqual([
      expect.objectContaining({
        extensions: expect.objectContaining({ code: "SUBSCRIPTION_LAGGED", cursor: slowCursors.at(-1) }),
      }),
    ]);
    const resumedSocket = await subscribed(token, slowCursors.at(-1));
    await eventually(
      "the remaining events arrive",
      () => slowCursors.length + cursors(resumedSocket).length >= cursors(fast).length,
    );
    const whole = cursors(fast);
    expect([...slowCursors, ...cursors(resumedSocket)].filter((cursor) => whole.includes(cursor))).toEqual(whole);
    for (const socket of [slow, fast, resumedSocket]) socket.close();
  });
});

describe("a client that stops reading its event stream while events come", () => {
  it("gets SUBSCRIPTION_LAGGED as its last event when it reads again, and misses nothing after its id", async () => {
    const tenant = await aTenant();
    const token = await tenant.tokenWith();
    const follow = (lastEventId?: string) => anEventStream({ query, token, lastEventId });
    const [slow, fast] = [await follow(), await follow()];
    slow.pause();
    for (let round = 0; round < streamedPortions; round += 1) {
      await writeEvents(tenant);
      await eventually(`the fast one has portion ${round}`, () => fast.results.length >= (round + 1) * portion);
    }
    slow.resume();
    await slow.ended;
    const [lastResult, completion] = [slow.results.at(-1), slow.events.at(-1)];
    expect(lastResult?.errors?.map(({ extensions }) => extensions.code)).toEqual(["SUBSCRIPTION_LAGGED"]);
    expect(completion?.event).toBe("complete");
    const lastEventId = slow.events.at(-2)?.id;
    expect(lastResult?.errors?.[0]?.extensions.cursor).toBe(lastEventId);
    const resumedStream = await follow(lastEventId);
    const received = (stream: EventStream<unknown>) =>
      stream.events.flatMap(({ id, data }) => (data.startsWith('{"data":{') ? [id] : []));
    const wholeIds = received(fast);
    await eventually("the remaining events arrive", () => {
      const ids = [...received(slow), ...received(resumedStream)];
      return ids.length >= wholeIds.length;
    });
    expect([...received(slow), ...received(resumedStream)]).toEqual(wholeIds);
    await Promise.all([fast.stop(), resumedStream.stop()]);
  });
});
