import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { type ExecutionResult, parse, subscribe } from "graphql";
import { aUser } from "../../../people/users/user.fixture.js";
import { principal, RunningSpine, until } from "../../../running-spine.fixture.js";
import { personWith, sent } from "../notification.fixture.js";

let platform: RunningSpine;
let tenantId: string;
const open: AsyncGenerator[] = [];

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenantId = await platform.activeTenant("acme");
});
afterAll(async () => {
  await Promise.all(open.map((feed) => feed.return(undefined)));
  await platform?.stop();
});

const document = parse(`subscription ($id: ID) {
  notificationUnreadCount(recipientUserId: $id) { recipientUserId unread isCapped } }`);

async function subscribed(by: Principal, id?: string): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
  const contextValue = requestContext({ principal: by, trace: continueTrace(undefined) });
  const { schema } = platform.spine;
  return subscribe({ schema, document, variableValues: { id }, contextValue }) as Promise<
    AsyncGenerator<ExecutionResult> | ExecutionResult
  >;
}

/** The counts that a subscriber has received; it grows. */
async function countsOf(by: Principal, id?: string): Promise<unknown[]> {
  const feed = await subscribed(by, id);
  if (!("next" in feed)) throw new Error(JSON.stringify(feed.errors));
  open.push(feed);
  const counts: unknown[] = [];
  void (async () => {
    for await (const { data, errors } of feed)
      counts.push(
        errors?.[0]?.extensions["code"] ??
          (data as Record<string, { unread: number }>)["notificationUnreadCount"]?.unread,
      );
  })();
  return counts;
}

const reader = (userId: string) => personWith(tenantId, userId, "notification.read");
const inApp = (userId: string) =>
  sent(platform, tenantId, { channel: "InApp", recipient: { userId }, body: "It has arrived." });
const becomes = (counts: unknown[], wantedCounts: unknown[]) =>
  until(async () => JSON.stringify(counts) === JSON.stringify(wantedCounts));

describe("Subscription.notificationUnreadCount", () => {
  it("tells the count now and after each change, and each count once", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const other = (await aUser(platform, tenantId, [])).userId;
    const { notificationId } = await inApp(userId);
    const counts = await countsOf(reader(userId));
    await becomes(counts, [1]);
    await inApp(userId);
    await becomes(counts, [1, 2]);
    await inApp(other);
    await platform.ask(reader(userId), "mutation ($id: ID!) { markNotificationRead(notificationId: $id) { status } }", {
      id: notificationId,
    });
    await becomes(counts, [1, 2, 1]);
    await platform.ask(reader(userId), "mutation { markNotificationsRead { marked } }");
    await becomes(counts, [1, 2, 1, 0]);
  });

  it("tells all inboxes of the tenant of a broadcast", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const counts = await countsOf(reader(userId));
    await becomes(counts, [0]);
    const broadcast = 'mutation { broadcastNotification(input: { body: "Hello." }) { messageId } }';
    await platform.ask(principal(tenantId, ["notification.send"]), broadcast);
    await becomes(counts, [0, 1]);
  });

  it("needs the name of a user from a service, and takes none of another person", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const service = principal(tenantId, ["notification.read"]);
    await becomes(await countsOf(service, userId), [0]);
    const refusalCode = async (by: Principal, id?: string) => {
      const answer = await subscribed(by, id);
      return "next" in answer ? undefined : answer.errors?.[0]?.extensions["code"];
    };
    expect(await refusalCode(service)).toBe("VALIDATION_FAILED");
    expect(await refusalCode(reader("usr_somebody"), userId)).toBe("NOT_THE_RECIPIENT");
  });

  it("has a limit for each tenant, and gives a place back when it ends", async () => {
    const crowdedTenant = await platform.activeTenant("crowded");
    const service = principal(crowdedTenant, ["notification.read"]);
    const feeds: AsyncGenerator[] = [];
    const next = async () => {
      const answer = await subscribed(service, newId("usr"));
      if ("next" in answer) feeds.push(answer);
      return "next" in answer ? "open" : answer.errors?.[0]?.extensions["code"];
    };
    const answers = new Set<unknown>();
    for (let place = 0; place < 1000; place += 1) answers.add(await next());
    expect([...answers, await next()]).toEqual(["open", "RATE_LIMITED"]);
    await feeds[0]?.return(undefined);
    expect(await next()).toBe("open");
    await Promise.all(feeds.map((feed) => feed.return(undefined)));
  });

  it("ends with its token", async () => {
    const { userId } = await aUser(platform, tenantId, []);
    const countsWithin = async (seconds: number) => {
      const counts = await countsOf({ ...reader(userId), expiresAt: Date.now() / 1000 + seconds });
      await until(async () => counts.at(-1) === "TOKEN_EXPIRED");
      return counts;
    };
    // until the token lives long enough for the first count
    let counts = await countsWithin(1);
    for (let seconds = 2; counts.length === 1; seconds *= 2) counts = await countsWithin(seconds);
    expect(counts).toEqual([0, "TOKEN_EXPIRED"]);
  });
});
