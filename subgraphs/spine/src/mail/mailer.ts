import type { Transaction } from "@factory/runtime/db/database";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/job-queue";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Mail } from "./mail.js";
import type { MailTransport } from "./mail-transport.js";

/** Ids only: who gets what is read when it is sent. */
interface SendMailPayload {
  tenantId: string;
  mailId: string;
  /** Names the composer. */
  kind: string;
  /** Of what the mail is about. */
  about: string;
}

/** Tried for about an hour; then it lies in the dead-letter queue. */
export const sendMailJob: JobDefinition<SendMailPayload> = {
  queue: "send-mail",
  retryLimit: 8,
  retryDelaySeconds: 15,
  retryBackoff: true,
  expireInSeconds: 120,
  concurrency: 2,
  concurrencyPerTenant: 1,
};

/** Undefined: there is nothing to say any more. */
export type MailComposer = (tenant: Tenant, about: string) => Promise<Mail | undefined>;

/** Mail leaves after the transaction that makes it necessary, at least once. */
export class Mailer {
  readonly #jobs: JobQueue;
  readonly #transport: MailTransport;
  readonly #logger: Logger;
  readonly #composers = new Map<string, MailComposer>();

  constructor(jobs: JobQueue, transport: MailTransport, logger: Logger) {
    this.#jobs = jobs;
    this.#transport = transport;
    this.#logger = logger;
  }

  /** Before the jobs are worked on. */
  register(kind: string, composer: MailComposer): void {
    this.#composers.set(kind, composer);
  }

  /** Joins the transaction. */
  async queue(transaction: Transaction, kind: string, about: string): Promise<void> {
    const { tenantId } = transaction.tenant;
    await this.#jobs.send(transaction, sendMailJob, { tenantId, mailId: newId("msg"), kind, about });
  }

  async send({ tenantId, mailId, kind, about }: SendMailPayload): Promise<void> {
    const compose = this.#composers.get(kind);
    if (!compose) throw new Error(`There is no mail of kind ${kind}`);
    const mail = await compose(tenantWithId(tenantId), about);
    if (!mail) return;
    await this.#transport.deliver(mailId, mail);
  }

  async abandoned({ tenantId, mailId, kind, about }: SendMailPayload): Promise<void> {
    this.#logger.error({ tenantId, mailId, kind, about }, "mail given up");
  }
}
