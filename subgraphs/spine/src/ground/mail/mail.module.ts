import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { type MailSettings, openMailTransport } from "./mail-transport.js";
import { Mailer, mailRetention, sendMailJob, waitingMails } from "./mailer.js";
import { OutgoingMail } from "./outgoing-mail.entity.js";

export interface MailModuleSettings {
  /** Without it mail is not sent, and an error is logged for each mail. */
  readonly mail?: MailSettings | undefined;
}

/** Outgoing mail. */
export const mail: SliceModule<MailModuleSettings> = {
  slice: "mail",
  entities: [OutgoingMail],
  foreignKeys: {
    "mails.about": { to: null, why: "An id of any kind, as text. A mail ends also when its subject no longer exists." },
  },
  jobs: [sendMailJob],
  events: ["MailFailed"],
  waitingRows: [waitingMails],
  start({ settings, database, jobs, logger, work, onClose }, services) {
    const transport = openMailTransport(settings.mail, logger);
    onClose(() => transport.close());
    const mailer = services.add(new Mailer({ database, jobs, transport }));
    work(sendMailJob, (payload) => mailer.send(payload), mailer);
  },
  retention: () => [mailRetention],
};
