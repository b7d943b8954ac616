import type { EventConsumer } from "@factory/runtime/bus/bus";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { peopleWithScope } from "../../../rights/roles/people-with-scope.js";
import { materialAwaited } from "../../notification-templates/awaited-material-template.js";
import { activeUsers } from "../record/active-users-statement.js";
import { announce } from "./announcement.js";

/** The people who are told, those who have had the right for longest. */
const maxPeople = 20;
/** Some recipients may be inactive. */
const maxCandidates = 500;

/** The waits in one tenant that people are told about one by one within an hour. Further ones are in the list only. */
const maxTold = 20;

const toldLately = namedStatement(
  "material_announcements_of_an_hour",
  `select count(*)::int as count,
      exists (select from notification_messages where tenant_id = $tenant and message_id = $message) as known
    from notification_messages
    where tenant_id = $tenant and message_id > $since and requested_by = $announcer and channel = 'InApp'`,
);

const hourMs = 3_600_000;

/** Ids ascend with time, so that the primary key finds those from the last hour. */
function idAnHourAgo(): string {
  const hex = (Date.now() - hourMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** `requestedBy` in these notifications. */
const announcer = "credential-rotation";

/** Tells the people who may rotate a credential where its new secret is to be given. */
export function tellOfAwaitedMaterial(database: Database, jobs: JobQueue): EventConsumer {
  return {
    group: "spine.awaited-material",
    types: ["CredentialMaterialAwaited"],
    async handle(messages) {
      for (const { envelope } of messages) await tell(database, jobs, envelope);
    },
  };
}

async function tell(database: Database, jobs: JobQueue, { id, tenantid, data, traceparent, correlationid }: Envelope) {
  const cause = {
    ...{ trace: continueTrace(traceparent), correlationId: correlationid, causationId: id },
    actorId: announcer,
  };
  await database.transaction(tenantWithId(tenantid), cause, async (transaction) => {
    const { execute, tenant } = transaction;
    const messageId = encodeId("ntm", decodeId("evt", id) ?? "");
    const message = decodeId("ntm", messageId);
    const values = toldLately.valuesOf({ tenant: tenant.uuid, message, since: idAnHourAgo(), announcer });
    const [recentWaits] = await execute<{ count: number; known: boolean }>(toldLately, values);
    // The bus may deliver the event again.
    if (!recentWaits || recentWaits.known || recentWaits.count >= maxTold) return;
    const people = await peopleWithScope(transaction, "integration.credentials.rotate", maxCandidates);
    const active = await activeUsers(transaction, people);
    const { name, kind, giveAt, credentialId, materialDueAt } = data;
    await announce(transaction, jobs, {
      ...{ template: materialAwaited, data: { name, kind, giveAt, credentialId, materialDueAt }, messageId },
      userIds: people.filter((person) => active.has(person)).slice(0, maxPeople),
      channels: ["InApp", "Email"],
    });
  });
}
