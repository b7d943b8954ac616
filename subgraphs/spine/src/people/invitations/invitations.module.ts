import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import { sealedTextTable } from "@factory/runtime/resealing/sealed-table";
import { DerivedSecrets } from "@factory/runtime/sealing/derived-secrets";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { Mailer } from "../../ground/mail/mailer.js";
import { PermissionLossHandlers } from "../../rights/access-control/permission-loss.js";
import { OwnerArrivals } from "../../rights/roles/owners.js";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { ProvisioningSteps } from "../../tenants/tenants/provisioning-step.js";
import { TenantService } from "../../tenants/tenants/tenant.service.js";
import { PersonalDataErasers } from "../users/personal-data.js";
import { Seats } from "../users/seats.js";
import { eraseInvitee } from "./erase-invitee.js";
import { expiredPendingInvitations, expireInvitation, expireInvitationJob } from "./expire-invitation.js";
import { Invitation } from "./invitation.entity.js";
import { InvitationResolver } from "./invitation.resolver.js";
import { InvitationService } from "./invitation.service.js";
import { InvitationAcceptance } from "./invitation-acceptance.service.js";
import { invitationEndpoint } from "./invitation-endpoint.js";
import { InvitationIssuer } from "./invitation-issuer.js";
import { invitationMail, invitationMailKind } from "./invitation-mail.js";
import { invitationPath } from "./invitation-path.js";
import { inviteOwner } from "./invite-owner.js";
import { revokeUnauthorizedInvitations } from "./revoke-unauthorized-invitations.js";

export interface InvitationSettings {
  /** The platform's absolute URL, without a trailing slash. Links in mails begin with it. */
  readonly issuer: string;
  readonly masterKeys: MasterKeys;
  /** Multiplies the limit for mails to one address. */
  readonly rateLimitFactor?: number;
}

const tokensOf = ({ masterKeys }: InvitationSettings) =>
  new DerivedSecrets(masterKeys.keyring("factory spine invitation tokens"));

/** Invitations by mail, and the page on which they are accepted. */
export const invitations: SliceModule<InvitationSettings> = {
  slice: "invitations",
  entities: [Invitation],
  foreignKeys: {
    "invitations.user_id": { to: null, why: "History: the user that accepted the invitation." },
  },
  jobs: [expireInvitationJob],
  events: [
    "UserInvited",
    "InvitationResent",
    "InvitationRevoked",
    "InvitationExpired",
    "InvitationAccepted",
    "UserRegistered",
  ],
  waitingRows: [expiredPendingInvitations],
  start({ settings, database, jobs, workers, cursors, logger, work }, services) {
    const { issuer: platformUrl, rateLimitFactor } = settings;
    const tenants = services.get(TenantService);
    const seats = services.get(Seats);
    const tenantSettings = services.get(TenantSettings);
    const mailer = services.get(Mailer);
    const tokens = tokensOf(settings);
    mailer.register(invitationMailKind, invitationMail(database, tokens, platformUrl));
    const issuer = new InvitationIssuer(tokens, mailer, jobs);
    const parts = { database, issuer, tenants, seats, settings: tenantSettings, cursors, mailer, rateLimitFactor };
    services.add(new InvitationService(parts));
    const acceptance = services.add(
      new InvitationAcceptance({
        ...{ database, pool: workers, tenants, seats, settings: tenantSettings },
        arrivals: services.get(OwnerArrivals),
      }),
    );
    work(expireInvitationJob, (payload) => expireInvitation(database, payload), maintenance);
    services.get(ProvisioningSteps).add(inviteOwner(issuer));
    services.get(PermissionLossHandlers).add(revokeUnauthorizedInvitations);
    services.get(PersonalDataErasers).add(eraseInvitee);
    services.get(HttpRoutes).add(invitationPath, invitationEndpoint({ issuer: platformUrl, acceptance, logger }));
  },
  sealedTables(settings) {
    const tokens = tokensOf(settings);
    return [
      sealedTextTable({
        label: "factory spine invitation tokens",
        table: "invitations",
        key: { tenant_id: "uuid", invitation_id: "uuid" },
        column: "token_nonce",
        newestKeyId: tokens.newestKeyId,
        resealed: (nonce, { invitation_id: id = "" }) => tokens.renewed(encodeId("inv", id), nonce),
      }),
    ];
  },
  resolvers: (get) => [new InvitationResolver(get(InvitationService), get(InvitationAcceptance))],
  links: {
    "Invitation.userId": { to: "User" },
  },
  references(get) {
    const service = get(InvitationService);
    return {
      Invitation: {
        id: { prefix: "inv", field: "invitationId" },
        auth: { scopes: ["user.read", "user.invite"] },
        resolve: ({ invitationId = "" }, context) => service.find(context, invitationId),
      },
    };
  },
};
