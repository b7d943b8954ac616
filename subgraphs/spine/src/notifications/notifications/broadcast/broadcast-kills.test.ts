import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { ProcessEnded } from "@factory/runtime/faults/subgraph-process.fixture";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantScopes } from "@factory/schema/scopes";
import { principal } from "../../../spine-caller.fixture.js";
import { SpineProcesses } from "../../../spine-processes.fixture.js";

/** The places where the process is killed: before and after the commit that stores a recipient set. */
const phases = ["broadcast.reached", "broadcast.continued"];
/** Two sets, and a third one for the second place: the process dies there when it has stored the second set. */
const setsOf = (kill: number) => (kill === 0 ? 2 : 3);
const usersIn = (sets: number) => (sets - 1) * 10_000 + 100;
/** The same for a page of notifications that are erased. There are three pages. */
const erasurePhases = ["notifications.erasing:kill:2", "notifications.erased:kill:1"];
const erasedCount = 250;
/** A job of a killed process is taken over within 45 s. */
const takeoverMs = 120_000;

describe("kill -9", () => {
  let spine: SpineProcesses;
  let tenantId: string;
  let tenant: string;

  beforeAll(async () => {
    spine = await SpineProcesses.open();
  });
  afterAll(() => spine.close());

  /** Adds users to the tenant until it has so many. */
  const addUsers = (count: number) =>
    spine.rows(
      `insert into spine.users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
       select $1, uuidv7(), n || '@many.example', n || '@many.example', 'Active', 'none', now(), now()
       from generate_series((select count(*) from spine.users where email like '%@many.example') + 1, $2::int) n`,
      tenant,
      count,
    );

  it("in a broadcast reaches each recipient once, with events that add up", async () => {
    for (let kill = 0; kill < killsAt(phases.length); kill += 1) {
      const fail = `${phases[kill % phases.length]}:kill:1`;
      expect(await spine.startMortal(fail)).toBe(true);
      if (kill === 0) {
        tenantId = await spine.activeTenant("telling");
        tenant = decodeId("ten", tenantId) ?? "";
      }
      const users = usersIn(setsOf(kill));
      await addUsers(users);
      const { data } = await spine.ask(
        principal(tenantId, tenantScopes),
        `mutation ($input: BroadcastNotificationInput!) {
          sent: broadcastNotification(input: $input) { messageId recipientCount } }`,
        { input: { body: `Told ${kill}` } },
      );
      expect(data?.["sent"].recipientCount).toBe(10_000);
      const messageId = decodeId("ntm", data?.["sent"].messageId);
      expect(await spine.process.ended).toBeNull();
      await spine.start();
      const state = async () => {
        const [row] = await spine.rows<{ made: number; reached: number; count: number; open: boolean }>(
          `select count(*)::int as made, count(distinct recipient_user_id)::int as reached,
             (select recipient_count from spine.notification_messages where message_id = $1) as count,
             (select broadcast_after is not null from spine.notification_messages where message_id = $1) as open
           from spine.notifications where message_id = $1`,
          messageId,
        );
        return row;
      };
      await eventually(
        `the broadcast is complete after ${fail}`,
        async () => (await state())?.open === false,
        takeoverMs,
      );
      expect([fail, await state()]).toEqual([fail, { made: users, reached: users, count: users, open: false }]);
      const events = await spine.rows<{ type: string; count: number }>(
        `select envelope->>'type' as type, (envelope->'data'->>'recipientCount')::int as count from spine.outbox
         where envelope->>'messagekind' = 'event' and envelope->'data'->>'messageId' = $1 order by seq`,
        data?.["sent"].messageId,
      );
      expect([fail, ...events.map(({ type, count }) => `${type} ${count}`)]).toEqual([
        ...[fail, "NotificationRequested null"],
        ...Array.from({ length: setsOf(kill) - 1 }, () => "NotificationSent 10000"),
        "NotificationSent 100",
      ]);
    }
  }, 1_200_000);

  it("in the erasure of a deleted user leaves nothing of the notifications to that user", async () => {
    for (let kill = 0; kill < killsAt(1); kill += 1) {
      const fail = erasurePhases[kill % erasurePhases.length] ?? "";
      const [person] = await spine.rows<{ user_id: string }>(
        `insert into spine.users (tenant_id, user_id, email, email_key, status, password_hash, created_at, updated_at)
         values ($1, uuidv7(), $2, $2, 'Active', 'none', now(), now()) returning user_id`,
        tenant,
        `${kill}@deleted.example`,
      );
      const userId = person?.user_id ?? "";
      await spine.rows(
        `with content as (
           insert into spine.notification_messages (tenant_id, message_id, channel, category, priority, body, audience,
             recipient_count, requested_by, correlation_id, traceparent, created_at)
           select $1, uuidv7(), 'InApp', 'general', 'Normal', 'Private words.', 'Recipients', 1, 'test', '', '', now()
           from generate_series(1, $3::int) returning message_id)
         insert into spine.notifications (tenant_id, notification_id, message_id, channel, recipient_user_id, status,
           created_at, sent_at)
         select $1, uuidv7(), message_id, 'InApp', $2, 'Sent', now(), now() from content`,
        tenant,
        userId,
        erasedCount,
      );
      expect(await spine.startMortal(fail)).toBe(true);
      // the process may die before it answers
      const answer = await spine
        .ask(principal(tenantId, tenantScopes), "mutation ($id: ID!) { deleteUser(userId: $id) { status } }", {
          id: encodeId("usr", userId),
        })
        .catch((error: unknown) => {
          if (!(error instanceof ProcessEnded)) throw error;
        });
      if (answer) expect(answer.data).toEqual({ deleteUser: { status: "Deleted" } });
      expect(await spine.process.ended).toBeNull();
      const remainingRows = async () => {
        const [row] = await spine.rows<{ notifications: number; contents: number }>(
          `select (select count(*)::int from spine.notifications where recipient_user_id = $1) as notifications,
             (select count(*)::int from spine.notification_messages where body = 'Private words.') as contents`,
          userId,
        );
        return row;
      };
      await spine.start();
      await eventually(
        `nothing is left after ${fail}`,
        async () => (await remainingRows())?.notifications === 0,
        takeoverMs,
      );
      expect(await remainingRows()).toEqual({ notifications: 0, contents: 0 });
    }
  }, 1_200_000);
});
