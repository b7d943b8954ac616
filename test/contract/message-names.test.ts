import { commandTypes } from "@factory/schema/command-names";
import { eventTypes } from "@factory/schema/event-names";

/** The names of the spine's events. Its specification shows none. */
const events = `TenantRegistered TenantProvisioningStarted TenantProvisioned TenantProvisioningFailed TenantSuspended
  TenantResumed TenantArchived UserInvited InvitationResent InvitationRevoked InvitationExpired InvitationAccepted
  UserRegistered UserDisabled UserEnabled RoleAssigned RoleUnassigned SubscriptionCreated SubscriptionActivated
  SubscriptionRenewed SubscriptionLapsed SubscriptionSuspended SubscriptionCancelled SubscriptionExpired
  FeatureFlagUpdated ConfigurationUpdated NotificationRequested NotificationSent NotificationDelivered
  NotificationFailed NotificationRead ReportRunQueued ReportRunStarted ReportGenerated ReportRunFailed
  ReportRunCancelled ReportRunExpired TokenRevoked RefreshTokenReuseDetected LoginFailed ScopeApprovalRequested
  ScopeApprovalGranted ScopeApprovalRejected EntitlementLimitReached`.split(/\s+/);
const commands = ["ProvisionTenant", "SendEmail", "SendSms", "GenerateReport", "ExpireInvitation", "RenewSubscription"];

describe("the names of events and commands", () => {
  it("are all those of the design of the spine", () => {
    expect(events.filter((name) => !Object.hasOwn(eventTypes, name))).toEqual([]);
    expect(commands.filter((name) => !Object.hasOwn(commandTypes, name))).toEqual([]);
  });

  it("name events NounVerbPastTense and commands VerbNoun, and no name is both", () => {
    for (const name of [...Object.keys(eventTypes), ...Object.keys(commandTypes)])
      expect(name).toMatch(/^([A-Z][a-z0-9]+){2,}$/);
    expect(Object.keys(commandTypes).filter((name) => Object.hasOwn(eventTypes, name))).toEqual([]);
  });
});
