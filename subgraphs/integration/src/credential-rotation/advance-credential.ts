import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { announceChange } from "../credentials/credentials/credential-change.js";
import { dueWarning, nextRotation } from "../credentials/credentials/credential-schedule.js";
import { type CredentialVersions, moveTo } from "../credentials/credentials/credential-versions.js";
import type { RunService } from "../runs/run.service.js";
import { materialNotGiven } from "./awaited-material.js";
import { canGenerate, type LockedCredential, type RotationStart } from "./rotation-start.js";
import { lockVerification } from "./verification-run-statement.js";

/** The payload for the job that makes one credential's due changes. */
export interface AdvanceCredentialPayload {
  tenantId: string;
  credentialId: string;
}

/** The job makes the changes to one credential whose time has come. */
export const advanceCredentialJob: JobDefinition<AdvanceCredentialPayload> = {
  queue: "advance-credential",
  retryLimit: 5,
  retryDelaySeconds: 5,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 2,
  concurrencyPerTenant: 1,
  subject: "credentialId",
};

/** Credentials with a due change; one without a job gets its job again. */
export const dueCredentialRows: WaitingRows<AdvanceCredentialPayload> = {
  slice: "credential-rotation",
  job: advanceCredentialJob,
  table: "credentials",
  id: "credential_id",
  prefix: "crd",
  waiting: "next_change_at < now()",
  since: "next_change_at",
  payload: ({ tenantId, id }) => ({ tenantId, credentialId: id }),
};

/** The grace period for a scheduled rotation, in which its owner fetches the new secret. */
const scheduledGraceSeconds = 7 * 24 * 60 * 60;

interface AdvanceServices {
  readonly database: Database;
  readonly versions: CredentialVersions;
  readonly start: RotationStart;
  readonly runs: RunService;
  readonly clock: () => Date;
}

/** Makes the changes to credentials that time makes: warnings, the expiry and scheduled rotations. */
export class CredentialAdvance {
  readonly #services: AdvanceServices;

  constructor(services: AdvanceServices) {
    this.#services = services;
  }

  /** A repetition finds nothing to do: each change is committed together with its event and the next time. */
  async advance({ tenantId, credentialId }: AdvanceCredentialPayload): Promise<void> {
    const { database, versions, clock } = this.#services;
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    await database.transaction(tenantWithId(tenantId), cause, async (transaction) => {
      await transaction.defer(lockVerification, [transaction.tenant.uuid, decodeId("crd", credentialId)]);
      const credential = await versions.lock(transaction, credentialId);
      const now = clock();
      if (credential.nextChangeAt !== null && credential.nextChangeAt <= now) {
        this.#warn(transaction, credential, now);
        const { status, expiresAt, materialDueAt } = credential;
        if (expiresAt !== null && expiresAt <= now && canExpire(credential)) expire(transaction, credential);
        else if (status === "Active") await this.#rotate(transaction, credential, now);
        if (materialDueAt !== null && materialDueAt <= now) await this.#endWait(transaction, credential);
      }
      versions.plan(credential);
      // Sent here, so that the failpoint stands between the statements and the commit.
      await transaction.em.flush();
      failpoint("credentialRotation.advanced");
    });
  }

  #warn({ record }: Transaction, credential: LockedCredential, now: Date): void {
    const days = dueWarning(credential, now);
    if (days === undefined) return;
    const { credentialId, name, expiresAt } = credential;
    credential.expiryWarningDays = days;
    record({
      type: "CredentialExpiryApproaching",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, expiresAt, days },
    });
  }

  /** Fails the rotation whose material nobody has given, together with its run. */
  async #endWait(transaction: Transaction, { rotationRunId }: LockedCredential): Promise<void> {
    if (rotationRunId === null) return;
    await transaction.em.flush();
    await this.#services.runs.failIn(transaction, rotationRunId, {
      code: "MATERIAL_NOT_GIVEN",
      detail: materialNotGiven,
    });
  }

  async #rotate(transaction: Transaction, credential: LockedCredential, now: Date): Promise<void> {
    const { credentialId, name, kind, nextRotationAt, rotationIntervalDays } = credential;
    if (nextRotationAt === null || nextRotationAt > now) return;
    credential.nextRotationAt = nextRotation(rotationIntervalDays, now);
    if (canGenerate(kind)) {
      const graceSeconds = credential.graceSeconds ?? scheduledGraceSeconds;
      const request = { reason: "ScheduledRotation", secret: null, graceSeconds, expiresAt: null } as const;
      await this.#services.start.startIn(transaction, credential, { ...request, shown: false });
      return;
    }
    transaction.record({
      type: "CredentialRotationDue",
      subject: `credentials/${credentialId}`,
      data: { credentialId, name, kind, nextRotationAt: credential.nextRotationAt },
    });
  }
}

/** The current version is in use and expires as without a rotation while a new one waits. */
const canExpire = ({ status, materialDueAt }: LockedCredential) =>
  status === "Active" || (status === "Rotating" && materialDueAt !== null);

function expire(transaction: Transaction, credential: LockedCredential): void {
  moveTo(credential, "Expired");
  const { credentialId, name, status, expiresAt } = credential;
  transaction.record({
    type: "CredentialExpired",
    subject: `credentials/${credentialId}`,
    data: { credentialId, name, status, expiresAt },
  });
  announceChange(transaction, credentialId);
}
