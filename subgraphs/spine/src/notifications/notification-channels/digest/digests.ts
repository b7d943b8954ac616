import type { RowOf } from "@factory/runtime/db/entity-rows";
import type { PreparedStatement } from "@factory/runtime/db/transaction-dialect";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { DeliveryOutcome, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { settleNotification } from "../../notifications/delivery/settle-notification.js";
import { planByKeys } from "../../notifications/record/plan-by-keys.js";
import { recipientKey } from "../messages/recipient-key.js";
import {
  addMember,
  closeDigest,
  closeOver,
  digestOfMember,
  firstQueued,
  joinOpen,
  membersBehind,
  otherMembers,
  queuedTexts,
} from "./digest-statement.js";
import type { NotificationDigest } from "./notification-digest.entity.js";

/** More notifications in one window begin another digest. */
const maxMembers = 500;

type DigestRow = RowOf<NotificationDigest, "digestId"> & { closes_in_ms: number };

/** A digest with the time at which it ends. */
interface JoinedDigest {
  /** `ndg_…` */
  readonly digestId: string;
  /** Undefined when its window is over. */
  readonly closesAt: Date | undefined;
}

/** The notification that stands for its digest. */
interface FirstOfDigest {
  readonly notificationId: string;
  /** When it is delivered, or answered for, again. */
  readonly dueAt: Date;
}

/** The beginning of a notification in a digest. */
interface DigestItem {
  readonly title: string | null;
  readonly body: string | null;
}

/** The content for a digest's message. */
export interface DigestContent {
  /** How many notifications wait for it. */
  readonly count: number;
  /** The oldest notifications. */
  readonly items: readonly DigestItem[];
}

/** Collects notifications to one recipient with the same key for a time window. */
export class Digests {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds the notification to the open digest with its recipient and key. A second call answers the same digest. */
  join(notification: QueuedNotification & Required<Pick<QueuedNotification, "digest">>): Promise<JoinedDigest> {
    const { tenant, notificationId } = notification;
    return this.#transaction(tenant, async ({ execute, defer }) => {
      const uuid = decodeId("ntf", notificationId);
      const [memberDigest] = await execute<DigestRow>(digestOfMember, [tenant.uuid, uuid]);
      if (memberDigest) return joinedDigest(memberDigest);
      const place = { tenant: tenant.uuid, recipient: recipientKey(notification), key: keyOf(notification) };
      await defer(closeOver, [place.tenant, place.recipient, place.key]);
      const newDigest = {
        digest: decodeId("ndg", newId("ndg")),
        seconds: notification.digest?.windowSeconds,
        maxMembers,
      };
      const [open] = await execute<DigestRow>(joinOpen, joinOpen.valuesOf({ ...place, ...newDigest }));
      if (!open) throw new Error("A digest was neither joined nor opened");
      await defer(addMember, [tenant.uuid, uuid, open.digest_id]);
      return joinedDigest(open);
    });
  }

  /**
   * The oldest notification that waits for the digest; undefined when none does. Nothing is added to the digest after this.
   * Each notification asks, so their texts are not read.
   */
  close(tenant: Tenant, digestId: string): Promise<FirstOfDigest | undefined> {
    return this.#transaction(tenant, async ({ execute, defer }) => {
      const digest = [tenant.uuid, decodeId("ndg", digestId)];
      await defer(closeDigest, digest);
      const [first] = await execute<{ notification_id: string; due_in_ms: number | null }>(firstQueued, digest);
      return (
        first && {
          notificationId: encodeId("ntf", first.notification_id),
          dueAt: new Date(Date.now() + (first.due_in_ms ?? 0)),
        }
      );
    });
  }

  /** A closed digest's content, with at most so many items and so many characters in each. */
  content(
    tenant: Tenant,
    digestId: string,
    { items, characters }: { readonly items: number; readonly characters: number },
  ): Promise<DigestContent> {
    return this.#transaction(tenant, async ({ execute }) => {
      const parameters = { tenant: tenant.uuid, digest: decodeId("ndg", digestId), items, characters };
      const rows = await execute<DigestItem & { count: number }>(queuedTexts, queuedTexts.valuesOf(parameters));
      return { count: rows[0]?.count ?? 0, items: rows.map(({ title, body }) => ({ title, body })) };
    });
  }

  #transaction<T>(tenant: Tenant, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.transaction(
      tenant,
      { trace: continueTrace(undefined), actorId: "system" },
      async (transaction) => {
        await planByKeys(transaction);
        return work(transaction);
      },
    );
  }
}

/** Gives the other notifications in the same digest the outcome of the one that stands for it. */
export const settleOthers = (transaction: Transaction, notificationId: string, outcome: DeliveryOutcome) =>
  settleEach(transaction, { members: otherMembers, notificationId, outcome });

/**
 * As `settleOthers`, for a notification whose attempts are used up and which stood for its digest: one attempt may have
 * sent the digest.
 */
export const settleThoseBehind = (transaction: Transaction, notificationId: string, outcome: DeliveryOutcome) =>
  settleEach(transaction, { members: membersBehind, notificationId, outcome });

async function settleEach(
  transaction: Transaction,
  of: { readonly members: PreparedStatement; readonly notificationId: string; readonly outcome: DeliveryOutcome },
): Promise<void> {
  const { execute, tenant } = transaction;
  const values = [tenant.uuid, decodeId("ntf", of.notificationId)];
  const others = await execute<{ notification_id: string }>(of.members, values);
  for (const { notification_id } of others)
    await settleNotification(transaction, encodeId("ntf", notification_id), of.outcome);
}

/**
 * A person's digest is apart from a stranger's with the same address, and each category has its own. So all its
 * notifications are wanted or none is, and its link unsubscribes from all together. Categories and ids have no spaces.
 */
const keyOf = ({ category, recipient, digest }: QueuedNotification): string =>
  `${category} ${recipient.userId ?? "address"} ${digest?.key}`;

const joinedDigest = ({ digest_id, closes_in_ms }: DigestRow): JoinedDigest => ({
  digestId: encodeId("ndg", digest_id),
  closesAt: closes_in_ms > 0 ? new Date(Date.now() + closes_in_ms) : undefined,
});
