import type { RetentionRule } from "@factory/runtime/db/retention";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Mail } from "./mail.js";
import { type MailState, waitingCondition } from "./mail.states.js";
import { MailNotDeliveredError, type MailTransport, mailNotDelivered } from "./mail-transport.js";
import { OutgoingMail } from "./outgoing-mail.entity.js";
import { noSmtpUtf8 } from "./smtp-session.js";

/** The payload has only ids. The recipient and the content are read when the mail is sent. */
interface SendMailPayload {
  tenantId: string;
  mailId: string;
  /** Selects the composer. */
  kind: string;
  /** The ID of the mail's subject, for example an invitation. */
  about: string;
}

/** The job that sends a mail. After attempts for about one hour the mail is Failed. */
export const sendMailJob: JobDefinition<SendMailPayload> = {
  queue: "send-mail",
  retryLimit: 8,
  retryDelaySeconds: 15,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 2,
  concurrencyPerTenant: 1,
  subject: "mailId",
};

/** Waiting mails; one without a job gets its job again. */
export const waitingMails: WaitingRows<SendMailPayload> = {
  slice: "mails",
  job: sendMailJob,
  table: "mails",
  id: "mail_id",
  prefix: "msg",
  waiting: waitingCondition,
  since: "created_at",
  columns: ["kind", "about"],
  payload: ({ tenantId, id, columns: { kind, about } }) => ({
    tenantId,
    mailId: id,
    kind: String(kind),
    about: String(about),
  }),
};

/** Ended mails are kept for 30 days. */
export const mailRetention: RetentionRule = {
  table: "mails",
  expired: "ended_at < now() - interval '30 days'",
  order: "ended_at",
};

const recentMails = {
  name: "recent_mails",
  text: `select count(*)::int as count, ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as seconds_left
    from mails where tenant_id = $1 and about = any($2) and created_at > now() - interval '1 hour'`,
};

/** Composes a mail from the id `about`; undefined when there is nothing to send any more. */
export type MailComposer = (tenant: Tenant, about: string) => Promise<Mail | undefined>;

interface MailerParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly transport: MailTransport;
}

/** Sends each mail at least once, after the commit of the transaction that queued it. */
export class Mailer implements JobOwner<SendMailPayload> {
  readonly #database: Database;
  readonly #jobs: JobQueue;
  readonly #transport: MailTransport;
  readonly #composers = new Map<string, MailComposer>();

  constructor({ database, jobs, transport }: MailerParts) {
    this.#database = database;
    this.#jobs = jobs;
    this.#transport = transport;
  }

  /** Call it before the first job runs. */
  register(kind: string, composer: MailComposer): void {
    this.#composers.set(kind, composer);
  }

  /** Queues a mail in the transaction. */
  async queue(transaction: Transaction, kind: string, about: string): Promise<void> {
    const { tenantId } = transaction.tenant;
    const payload = { tenantId, mailId: newId("msg"), kind, about };
    const mail = { ...payload, status: "Waiting", createdAt: new Date(), endedAt: null } as const;
    transaction.em.persist(transaction.em.create(OutgoingMail, mail));
    await this.#jobs.send(transaction, sendMailJob, payload);
  }

  /** How many mails about these ids were queued in the last hour, and in how many seconds the oldest is an hour old. */
  async queuedInLastHour(
    { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
    abouts: readonly string[],
  ): Promise<{ count: number; secondsLeft: number }> {
    const [row] = await execute<{ count: number; seconds_left: number | null }>(recentMails, [tenant.uuid, abouts]);
    return { count: row?.count ?? 0, secondsLeft: row?.seconds_left ?? 0 };
  }

  async send(payload: SendMailPayload): Promise<void> {
    const { tenantId, mailId, kind, about } = payload;
    const compose = this.#composers.get(kind);
    if (!compose) throw new Error(`No composer is registered for mails of the kind "${kind}"`);
    const mail = await compose(tenantWithId(tenantId), about);
    try {
      if (mail) await this.#transport.deliver(mailId, mail);
    } catch (error) {
      if (!(error instanceof MailNotDeliveredError) || error.message !== noSmtpUtf8) throw error;
      // another attempt would meet the same server, and the sender should know now
      return this.abandoned(payload, error);
    }
    await this.#transaction(payload, (transaction) => end(transaction, payload, mail ? "Sent" : "Unneeded"));
  }

  async abandoned(payload: SendMailPayload, { code, message }: JobEnd): Promise<void> {
    await this.#transaction(payload, async (transaction) => {
      if (!(await end(transaction, payload, "Failed"))) return;
      const { tenantId, mailId, kind, about } = payload;
      // an unexpected error's text may have addresses of the platform's own machines
      const reason = code === mailNotDelivered ? message : "MAIL_NOT_SENT";
      transaction.record({
        type: "MailFailed",
        subject: `mails/${mailId}`,
        data: { tenantId, mailId, kind, about, reason },
      });
    });
  }

  async revived({ execute, tenant }: Transaction, { mailId }: SendMailPayload): Promise<void> {
    const waiting = await execute(
      `update mails set status = 'Waiting', ended_at = null
       where tenant_id = $1 and mail_id = $2 and status = 'Failed' returning mail_id`,
      [tenant.uuid, decodeId("msg", mailId)],
    );
    if (waiting.length === 0)
      throw new DomainError("INVALID_STATE", {
        detail: "Only a mail in the state Failed can be sent again, and this mail is not stored in that state.",
      });
  }

  #transaction<T>({ tenantId }: SendMailPayload, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    return this.#database.transaction(tenantWithId(tenantId), cause, work);
  }
}

/** False when the mail had already ended. */
async function end({ execute, tenant }: Transaction, { mailId }: SendMailPayload, status: MailState): Promise<boolean> {
  const endedMails = await execute(
    `update mails set status = $3, ended_at = now()
     where tenant_id = $1 and mail_id = $2 and ${waitingCondition} returning mail_id`,
    [tenant.uuid, decodeId("msg", mailId), status],
  );
  return endedMails.length > 0;
}
