import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { Pool } from "pg";
import type { Mailer } from "../mail/mailer.js";
import type { TenantService } from "../tenants/tenant.service.js";
import { expireInvitation, expireInvitationJob } from "./expire-invitation.js";
import { InvitationService } from "./invitation.service.js";
import { InvitationAcceptance } from "./invitation-acceptance.service.js";
import { InvitationIssuer } from "./invitation-issuer.js";
import { invitationMail, invitationMailKind } from "./invitation-mail.js";

interface Parts {
  readonly database: Database;
  readonly jobs: JobQueue;
  /** Connects as the worker role. */
  readonly pool: Pool;
  readonly mailer: Mailer;
  readonly tenants: TenantService;
  readonly cursors: CursorSeal;
  readonly settings: { readonly issuer: string; readonly masterKeys: MasterKeys };
}

/** Creates the services of invitations, registers their mail, and starts the job that expires them. */
export async function startInvitations({ database, jobs, pool, mailer, tenants, cursors, settings }: Parts) {
  const tokens = new DerivedSecrets(settings.masterKeys.keyring("factory spine invitation tokens"));
  const issuer = new InvitationIssuer(tokens, mailer, jobs);
  mailer.register(invitationMailKind, invitationMail(database, tokens, settings.issuer));
  await jobs.work(expireInvitationJob, (payload) => expireInvitation(database, payload), maintenance);
  return {
    issuer,
    invitations: new InvitationService({ database, issuer, tenants, cursors }),
    acceptance: new InvitationAcceptance(database, pool, tenants),
  };
}
