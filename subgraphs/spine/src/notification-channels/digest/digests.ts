import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeliveryOutcome, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { settleNotification } from "../../notifications/delivery/settle-notification.js";
import { recipientKey } from "../messages/recipient-key.js";
import {
  addMember,
  closeDigest,
  closeOver,
  digestOfMember,
  joinOpen,
  otherMembers,
  queuedMembers,
} from "./digest-statement.js";

/** More notifications of one window begin another digest. */
const maxMembers = 500;

interface DigestRow {
  readonly digest_id: string;
  readonly closes_in_ms: number;
}

/** A digest with the time of its end. */
export interface JoinedDigest {
  /** `ndg_…` */
  readonly digestId: string;
  /** Undefined when its window is over. */
  readonly closesAt: Date | undefined;
}

/** A notification of a digest that waits for it to be sent. */
export interface DigestItem {
  readonly notificationId: string;
  readonly title: string | null;
  readonly body: string | null;
}

/** Collects notifications to one recipient with the same key for a window of time. */
export class Digests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds the notification to the open digest of its recipient and key. A second call answers the same digest. */
  join(notification: QueuedNotification & Required<Pick<QueuedNotification, "digest">>): Promise<JoinedDigest> {
    // a category has no space; the link of a digest unsubscribes from one category
    const { tenant, notificationId, digest, category } = notification;
    return this.#transaction(tenant, async ({ execute, defer }) => {
      const uuid = decodeId("ntf", notificationId);
      const [known] = await execute<DigestRow>(digestOfMember, [tenant.uuid, uuid]);
      if (known) return joined(known);
      const place = [tenant.uuid, recipientKey(notification), `${category} ${digest?.key}`];
      await defer(closeOver, place);
      const opened = [...place, decodeId("ndg", newId("ndg")), digest?.windowSeconds, maxMembers];
      const [open] = await execute<DigestRow>(joinOpen, opened);
      if (!open) throw new Error("A digest was neither joined nor opened");
      await defer(addMember, [tenant.uuid, uuid, open.digest_id]);
      return joined(open);
    });
  }

  /** The notifications that wait for the digest, the oldest first. Nothing is added to it after this. */
  close(tenant: Tenant, digestId: string): Promise<DigestItem[]> {
    return this.#transaction(tenant, async ({ execute, defer }) => {
      const digest = [tenant.uuid, decodeId("ndg", digestId)];
      await defer(closeDigest, digest);
      const rows = await execute<{ notification_id: string; title: string | null; body: string | null }>(
        queuedMembers,
        digest,
      );
      return rows.map(({ notification_id, title, body }) => ({
        notificationId: encodeId("ntf", notification_id),
        ...{ title, body },
      }));
    });
  }

  #transaction<T>(tenant: Tenant, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transaction(tenant, { trace: continueTrace(undefined), actorId: "system" }, work);
  }
}

/** Gives the other notifications of the same digest the outcome of the one that stands for it. */
export async function settleOthers(
  transaction: Transaction,
  notificationId: string,
  outcome: DeliveryOutcome,
): Promise<void> {
  const { execute, tenant } = transaction;
  const values = [tenant.uuid, decodeId("ntf", notificationId)];
  const others = await execute<{ notification_id: string }>(otherMembers, values);
  for (const { notification_id } of others)
    await settleNotification(transaction, encodeId("ntf", notification_id), outcome);
}

const joined = ({ digest_id, closes_in_ms }: DigestRow): JoinedDigest => ({
  digestId: encodeId("ndg", digest_id),
  closesAt: closes_in_ms > 0 ? new Date(Date.now() + closes_in_ms) : undefined,
});
