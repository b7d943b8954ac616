import type { Revocation } from "@factory/runtime/auth/revocations";
import { openPool } from "@factory/runtime/connections/pool";
import { Retention } from "@factory/runtime/db/retention";
import type { JobOperations } from "@factory/runtime/jobs/administration/job-operations";
import { maintenance } from "@factory/runtime/jobs/definitions/job-definition";
import { JobService } from "@factory/runtime/jobs/job.service";
import type { RelayLag } from "@factory/runtime/outbox/relay";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { type SubgraphHost, SubgraphResources } from "@factory/runtime/subgraph/resources";
import type { GraphQLSchema } from "graphql";
import { ApprovalService } from "./approvals/approval.service.js";
import { type AuthorizationServer, createAuthorizationServer } from "./authorization-server/authorization-server.js";
import { writeBootstrapFile } from "./bootstrap/bootstrap-file.js";
import { bootstrapPlatform } from "./bootstrap/bootstrap-platform.js";
import { eraseInvitee } from "./invitations/erase-invitee.js";
import { expiredPendingInvitations, expireInvitationJob } from "./invitations/expire-invitation.js";
import { invitationEndpoint } from "./invitations/invitation-endpoint.js";
import { invitationPath } from "./invitations/invitation-path.js";
import { inviteOwner } from "./invitations/invite-owner.js";
import { revokeUnauthorizedInvitations } from "./invitations/revoke-unauthorized-invitations.js";
import { startInvitations } from "./invitations/start-invitations.js";
import { type MailSettings, openMailTransport } from "./mail/mail-transport.js";
import { Mailer, mailRetention, sendMailJob, waitingMails } from "./mail/mailer.js";
import { ClientSecrets } from "./oauth-clients/client-secret.js";
import { OAuthClientService } from "./oauth-clients/oauth-client.service.js";
import { OAuthClientAdministrationService } from "./oauth-clients/oauth-client-administration.service.js";
import type { GivenClient, PlatformClient } from "./oauth-clients/platform-client.js";
import { createPlanSubscription } from "./plan-subscriptions/create-plan-subscription.js";
import { RevocationFeed } from "./revocations/revocation-feed.js";
import { AssignmentExpiry } from "./roles/assignment-expiry.js";
import { refreshSystemRoles, refreshSystemRolesJob, SystemRolesRefresher } from "./roles/refresh-system-roles.js";
import { RoleService } from "./roles/role.service.js";
import { RoleAssignmentService } from "./roles/role-assignment.service.js";
import { seedSystemRoles } from "./roles/seed-system-roles.js";
import { spineSchema } from "./schema.js";
import { SigningKeyService } from "./signing-keys/signing-key.service.js";
import { spineTables } from "./tables.js";
import { completeProvisioningJob, ProvisioningCompletion } from "./tenants/complete-provisioning.js";
import { ProvisioningService } from "./tenants/provisioning.service.js";
import { ProvisioningRunner, provisionTenantJob, waitingProvisioningRuns } from "./tenants/provisioning-runner.js";
import { TenantService } from "./tenants/tenant.service.js";
import { TenantLifecycleService } from "./tenants/tenant-lifecycle.service.js";
import { UserService } from "./users/user.service.js";
import { UserLifecycleService } from "./users/user-lifecycle.service.js";

export interface SpineSettings {
  /** Absolute, without a trailing slash. */
  readonly issuer: string;
  /** Everything sealed or derived in this schema hangs on them. */
  readonly masterKeys: MasterKeys;
  readonly platformClient?: GivenClient | undefined;
  /** Whose pages may read what the token endpoint answers. */
  readonly allowedOrigins?: readonly string[];
  /** Multiplies the limit on tokens of a client. */
  readonly rateLimitFactor?: number;
  /** Where `bootstrap.json` is written for a generated platform client. */
  readonly dataDir?: string;
  /** Absent: mail is refused, and the log says so. */
  readonly mail?: MailSettings | undefined;
}

export interface Spine {
  readonly schema: GraphQLSchema;
  readonly authorizationServer: AuthorizationServer;
  /** The administrator of the platform; its secret is absent when the operator gave it. */
  readonly bootstrap: PlatformClient;
  /** Tells what still matters of before, then everything new. */
  watchRevocations(tell: (revocation: Revocation) => void): Promise<void>;
  readonly relay: RelayLag;
  /** For the operator. */
  readonly jobs: JobOperations;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

const shortestSafeSecret = 32;

const jobDefinitions = [
  provisionTenantJob,
  completeProvisioningJob,
  refreshSystemRolesJob,
  sendMailJob,
  expireInvitationJob,
];

export async function startSpine(host: SubgraphHost, settings: SpineSettings): Promise<Spine> {
  const { issuer, masterKeys } = settings;
  const resources = await SubgraphResources.open(host, spineTables, jobDefinitions);
  const { database, jobs } = resources;
  const pool = openPool(host.connections.worker, 4, host.logger);
  const retention = new Retention(host.connections.worker, host.logger, [mailRetention]);
  const mailTransport = openMailTransport(settings.mail, host.logger);
  try {
    const revocations = new RevocationFeed(pool, host.logger);
    const secrets = new ClientSecrets(masterKeys);
    const cursors = new CursorSeal(masterKeys.keyring("factory spine list cursors"));
    const tenants = new TenantService(database, cursors);
    const provisioning = new ProvisioningService(database, jobs);
    const roles = new RoleService(database, cursors, revokeUnauthorizedInvitations);
    const mailer = new Mailer({ database, jobs, transport: mailTransport });
    const parts = { database, jobs, pool, mailer, tenants, cursors, settings };
    const { issuer: invitationIssuer, ...invitations } = await startInvitations(parts);
    const services = {
      jobs: new JobService(database, jobs, cursors),
      roles,
      roleAssignments: new RoleAssignmentService({
        database,
        cursors,
        roles,
        onPermissionLoss: revokeUnauthorizedInvitations,
      }),
      tenants,
      provisioning,
      lifecycle: new TenantLifecycleService(database),
      apiClients: new OAuthClientService(database, secrets, tenants),
      apiClientAdministration: new OAuthClientAdministrationService({
        database,
        secrets,
        cursors,
        onPermissionLoss: revokeUnauthorizedInvitations,
      }),
      approvals: new ApprovalService(database, cursors),
      users: new UserService(database, cursors),
      userLifecycle: new UserLifecycleService({
        database,
        onPermissionLoss: revokeUnauthorizedInvitations,
        erasePersonalData: eraseInvitee,
      }),
      ...invitations,
    };
    // in order; later slices add theirs
    const steps = [createPlanSubscription, seedSystemRoles, inviteOwner(invitationIssuer)];
    const runner = new ProvisioningRunner(database, steps);
    await jobs.work(provisionTenantJob, (payload, attempt) => runner.run(payload, attempt), runner);
    resources.sweep(waitingProvisioningRuns);
    const assignmentExpiry = new AssignmentExpiry({
      database,
      workers: pool,
      logger: host.logger,
      onPermissionLoss: revokeUnauthorizedInvitations,
    });
    const completion = new ProvisioningCompletion(database, steps, host.logger);
    await jobs.work(completeProvisioningJob, (_, attempt) => completion.run(attempt), maintenance);
    await jobs.work(sendMailJob, (payload) => mailer.send(payload), mailer);
    resources.sweep(waitingMails);
    resources.sweep(expiredPendingInvitations);
    const systemRoles = new SystemRolesRefresher(database, revokeUnauthorizedInvitations);
    await jobs.work(refreshSystemRolesJob, (_, attempt) => systemRoles.run(attempt), maintenance);
    // first, because it proves that this is the SECRETS_KEY of this database
    const authorizationServer = await createAuthorizationServer({
      issuer,
      pool,
      database,
      masterKeys,
      allowedOrigins: settings.allowedOrigins,
      logger: host.logger,
      pages: {
        [invitationPath]: invitationEndpoint({ issuer, acceptance: invitations.acceptance, logger: host.logger }),
      },
      workerUrl: host.connections.worker,
      listener: resources.listener,
      rateLimitFactor: settings.rateLimitFactor,
    });
    const bootstrap = await bootstrapPlatform(database, secrets, settings.platformClient);
    await refreshSystemRoles(database, jobs);
    await completion.request(jobs);
    if (settings.platformClient && settings.platformClient.secret.length < shortestSafeSecret)
      host.logger.warn("PLATFORM_CLIENT_SECRET is short enough to be guessed: use 32 random characters or more");
    const { clientId, clientSecret } = bootstrap;
    if (settings.dataDir !== undefined && clientSecret !== undefined)
      await writeBootstrapFile(settings.dataDir, { issuer, clientId, clientSecret });
    assignmentExpiry.start();
    return {
      schema: spineSchema(
        { ...services, signingKeys: new SigningKeyService(database, authorizationServer) },
        host.logger,
      ).schema,
      authorizationServer,
      bootstrap,
      watchRevocations: (tell) => revocations.start(resources.listener, tell),
      relay: resources.relay,
      jobs: resources.operations(),
      async ready() {
        await pool.query("select");
      },
      async close() {
        await revocations.stop();
        await authorizationServer.close();
        await assignmentExpiry.stop();
        await retention.stop();
        await resources.close();
        mailTransport.close();
        await pool.end();
      },
    };
  } catch (error) {
    await retention.stop();
    await resources.close();
    mailTransport.close();
    await pool.end();
    throw error;
  }
}
