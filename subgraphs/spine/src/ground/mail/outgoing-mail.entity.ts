import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { type MailState, waitingCondition } from "./mail.states.js";

/** A mail's state. Its text and its recipient are composed when it is sent and are not stored. */
@Entity(workerTable("mails"))
@Index({ name: "mails_waiting", expression: `create index mails_waiting on mails (mail_id) where ${waitingCondition}` })
@Index({ name: "mails_ended", expression: "create index mails_ended on mails (ended_at) where ended_at is not null" })
@Index({ name: "mails_about", properties: ["tenantId", "about"] })
export class OutgoingMail {
  [PrimaryKeyProp]?: ["tenantId", "mailId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("msg") })
  mailId: string;

  /** Selects the composer. */
  @Property({ type: "text" })
  kind: string;

  /** The ID of the mail's subject, for example an invitation. */
  @Property({ type: "text" })
  about: string;

  @Property({ type: "text" })
  status: MailState;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  endedAt: Date | null;
}
