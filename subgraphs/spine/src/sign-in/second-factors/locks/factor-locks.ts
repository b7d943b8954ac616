import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { secondFactorsLocked } from "../../../notifications/notification-templates/second-factors-locked-template.js";
import { announce } from "../../../notifications/notifications/announcements/announcement.js";
import type { DeletedPerson } from "../../../people/users/personal-data.js";
import type { TellPerson } from "../kinds/factor-changes.js";
import { type FactorPerson, type FactorProblem, type FactorProof, isProof } from "../kinds/factor-kind.js";
import { type CloseLockPayload, closeLockAfterMs, closeLockJob } from "./close-lock-job.js";
import { lockedMailKind, unlockedMailKind } from "./lock-mail.js";
import {
  closeLock,
  countCode,
  forgetPerson,
  forgetWrongCodes,
  type LockRow,
  liftLock,
  liftLockByLink,
  lockOfUser,
  uncountCode,
} from "./lock-statement.js";
import { maxWrongCodes } from "./max-wrong-codes.js";
import type { UnlockLinks } from "./unlock-links.js";

interface FactorLockParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly links: UnlockLinks;
  readonly tell: TellPerson;
  /** The absolute URL for the page that tells how to unlock. */
  readonly unlockUrl: string;
}

/** The ways to lift a lock. */
type Unlocker = "Administrator" | "MailLink";

const lockedProblem: FactorProblem = {
  field: "code",
  text: `Your codes are locked after ${maxWrongCodes} wrong ones`,
  isLocked: true,
};

/**
 * Counts each person's wrong codes in the database, over all processes and without an end, and locks a person's codes
 * after 20 without a right one. A code counts as wrong from before its check until it has proven to be right: so no
 * more are checked than counted, however many come at the same time and wherever a process ends. The counts have their
 * own transactions.
 */
export class FactorLocks {
  readonly #parts: FactorLockParts;

  constructor(parts: FactorLockParts) {
    this.#parts = parts;
  }

  /** Links that people get by mail. */
  get links(): UnlockLinks {
    return this.#parts.links;
  }

  /** Whether all the person's codes are refused. */
  async isLocked(tenant: Tenant, userId: string): Promise<boolean> {
    const { reader } = this.#parts.database;
    return (await reader.row<LockRow>(lockOfUser, tenant, decodeId("usr", userId))) !== undefined;
  }

  /** Counts a code, and checks it unless the person's codes are locked. The person's password was right. */
  async check(
    person: FactorPerson,
    verify: () => Promise<FactorProof | FactorProblem>,
  ): Promise<FactorProof | FactorProblem> {
    const count = await this.#count(person);
    if (count === undefined) return lockedProblem;
    const answer = await verify().catch(async (error: unknown) => {
      // an outage says nothing about the code; if it cannot be taken back, the code counts
      await this.#run(person, uncountCode).catch(() => undefined);
      throw error;
    });
    if (isProof(answer)) return (await this.#run(person, forgetWrongCodes)).length > 0 ? answer : lockedProblem;
    if (count < maxWrongCodes) return answer;
    const { tenant, userId, cause } = person;
    return (await this.#close(tenant, userId, cause)) ? lockedProblem : answer;
  }

  /** Closes the lock, if that was not done after the last wrong code. */
  async closeLate({ tenantId, userId }: CloseLockPayload): Promise<void> {
    await this.#close(tenantWithId(tenantId), userId, { trace: continueTrace(undefined), actorId: "system" });
  }

  /**
   * Lifts the lock for a user whose row the transaction has locked. False: there is none. The caller writes the audit
   * record.
   */
  async lift(transaction: Transaction, userId: string, by: Unlocker, linkDigest?: string): Promise<boolean> {
    const { execute, record, tenant } = transaction;
    const key = [tenant.uuid, decodeId("usr", userId)];
    const liftedLocks = await (linkDigest === undefined
      ? execute(liftLock, key)
      : execute(liftLockByLink, [...key, linkDigest]));
    if (liftedLocks.length === 0) return false;
    const data = { tenantId: tenant.tenantId, userId, by };
    record({ type: "SecondFactorsUnlocked", subject: `users/${userId}`, data });
    await this.#parts.tell(transaction, unlockedMailKind, userId);
    return true;
  }

  /** All the user's factors are gone, and the wrong codes with them. */
  async reset(transaction: Transaction, userId: string, by: Unlocker): Promise<void> {
    if (await this.lift(transaction, userId, by)) return;
    await transaction.execute(forgetWrongCodes, [transaction.tenant.uuid, decodeId("usr", userId)]);
  }

  /** The user is being deleted. */
  async erase({ execute, tenant }: Transaction, { userId }: Pick<DeletedPerson, "userId">): Promise<void> {
    await execute(forgetPerson, [tenant.uuid, decodeId("usr", userId)]);
  }

  /**
   * The code's number; undefined: it may not be checked. The job for the last one closes the lock if this process ends.
   */
  #count({ tenant, userId, cause }: FactorPerson): Promise<number | undefined> {
    const { database, jobs } = this.#parts;
    return database.transaction(tenant, cause, async (transaction) => {
      const values = [tenant.uuid, decodeId("usr", userId)];
      const [row] = await transaction.execute<{ failures: number }>(countCode, values);
      if (row?.failures !== maxWrongCodes) return row?.failures;
      const startAfter = new Date(Date.now() + closeLockAfterMs);
      await jobs.send(transaction, closeLockJob, { tenantId: tenant.tenantId, userId }, { startAfter });
      return row.failures;
    });
  }

  #run({ tenant, userId, cause }: FactorPerson, statement: typeof uncountCode): Promise<unknown[]> {
    const values = [tenant.uuid, decodeId("usr", userId)];
    return this.#parts.database.transaction(tenant, cause, ({ execute }) => execute(statement, values));
  }

  /** The person is told in the same transaction, so exactly one request does it, and a crash loses nothing. */
  #close(tenant: Tenant, userId: string, cause: Cause): Promise<boolean> {
    const { database, jobs, links, tell, unlockUrl } = this.#parts;
    return database.transaction(tenant, cause, async (transaction) => {
      const { execute, record, audit } = transaction;
      const closedLocks = await execute(closeLock, [tenant.uuid, decodeId("usr", userId)]);
      if (closedLocks.length === 0) return false;
      const { tenantId } = tenant;
      audit({ operation: "lockSecondFactors", subject: `users/${userId}` });
      const data = { tenantId, userId, wrongCodes: maxWrongCodes };
      record({ type: "SecondFactorsLocked", subject: `users/${userId}`, data });
      await links.issue(transaction, userId);
      await tell(transaction, lockedMailKind, userId);
      await announce(transaction, jobs, {
        template: secondFactorsLocked,
        data: { wrongCodes: maxWrongCodes, url: unlockUrl },
        ...{ userIds: [userId], channels: ["InApp"], url: unlockUrl },
      });
      return true;
    });
  }
}
