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
  /** The absolute URL of the page that tells how to unlock. */
  readonly unlockUrl: string;
}

/** The ways to lift a lock. */
type Unlocker = "Administrator" | "MailLink";

const locked: FactorProblem = {
  field: "code",
  text: `Your codes are locked after ${maxWrongCodes} wrong ones`,
  isLocked: true,
};

/**
 * Counts the wrong codes of each person in the database, over all processes and without an end, and locks the codes of a
 * person after 20 without a right one. A code counts as wrong from before its check until it has proven to be right: so no
 * more are checked than counted, however many come at the same time and wherever a process ends. The counts have
 * transactions of their own.
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

  /** Whether every code of the person is refused. */
  async isLocked(tenant: Tenant, userId: string): Promise<boolean> {
    const { reader } = this.#parts.database;
    return (await reader.row<LockRow>(lockOfUser, tenant, decodeId("usr", userId))) !== undefined;
  }

  /** Counts a code, and checks it unless the codes of the person are locked. The password of the person was right. */
  async check(
    person: FactorPerson,
    verify: () => Promise<FactorProof | FactorProblem>,
  ): Promise<FactorProof | FactorProblem> {
    const count = await this.#count(person);
    if (count === undefined) return locked;
    const answer = await verify().catch(async (error: unknown) => {
      // an outage says nothing about the code; if it cannot be taken back, the code counts
      await this.#run(person, uncountCode).catch(() => undefined);
      throw error;
    });
    if (isProof(answer)) return (await this.#run(person, forgetWrongCodes)).length > 0 ? answer : locked;
    if (count < maxWrongCodes) return answer;
    const { tenant, userId, cause } = person;
    return (await this.#close(tenant, userId, cause)) ? locked : answer;
  }

  /** Closes the lock, if that was not done after the last wrong code. */
  async closeLate({ tenantId, userId }: CloseLockPayload): Promise<void> {
    await this.#close(tenantWithId(tenantId), userId, { trace: continueTrace(undefined), actorId: "system" });
  }

  /** Lifts the lock of a user whose row the transaction has locked. False: there is none. The caller writes the audit record. */
  async lift(transaction: Transaction, userId: string, by: Unlocker, linkDigest?: string): Promise<boolean> {
    const { execute, record, tenant } = transaction;
    const key = [tenant.uuid, decodeId("usr", userId)];
    const lifted = await (linkDigest === undefined
      ? execute(liftLock, key)
      : execute(liftLockByLink, [...key, linkDigest]));
    if (lifted.length === 0) return false;
    const data = { tenantId: tenant.tenantId, userId, by };
    record({ type: "SecondFactorsUnlocked", subject: `users/${userId}`, data });
    await this.#parts.tell(transaction, unlockedMailKind, userId);
    return true;
  }

  /** All factors of the user are gone, and the wrong codes with them. */
  async reset(transaction: Transaction, userId: string, by: Unlocker): Promise<void> {
    if (await this.lift(transaction, userId, by)) return;
    await transaction.execute(forgetWrongCodes, [transaction.tenant.uuid, decodeId("usr", userId)]);
  }

  /** The user is being deleted. */
  async erase({ execute, tenant }: Transaction, { userId }: Pick<DeletedPerson, "userId">): Promise<void> {
    await execute(forgetPerson, [tenant.uuid, decodeId("usr", userId)]);
  }

  /** The number of the code; undefined: it may not be checked. The job for the last one closes the lock if this process ends. */
  #count({ tenant, userId, cause }: FactorPerson): Promise<number | undefined> {
    const { database, jobs } = this.#parts;
    return database.transaction(tenant, cause, async (transaction) => {
      const values = [tenant.uuid, decodeId("usr", userId)];
      const [counted] = await transaction.execute<{ failures: number }>(countCode, values);
      if (counted?.failures !== maxWrongCodes) return counted?.failures;
      const startAfter = new Date(Date.now() + closeLockAfterMs);
      await jobs.send(transaction, closeLockJob, { tenantId: tenant.tenantId, userId }, { startAfter });
      return counted.failures;
    });
  }

  #run({ tenant, userId, cause }: FactorPerson, statement: typeof uncountCode): Promise<unknown[]> {
    const values = [tenant.uuid, decodeId("usr", userId)];
    return this.#parts.database.transaction(tenant, cause, ({ execute }) => execute(statement, values));
  }

  /** The person is told in the same transaction, so exactly one of several requests does it, and a crash loses nothing. */
  #close(tenant: Tenant, userId: string, cause: Cause): Promise<boolean> {
    const { database, jobs, links, tell, unlockUrl } = this.#parts;
    return database.transaction(tenant, cause, async (transaction) => {
      const { execute, record, audit } = transaction;
      const closed = await execute(closeLock, [tenant.uuid, decodeId("usr", userId)]);
      if (closed.length === 0) return false;
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
