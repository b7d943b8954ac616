import { exampleId } from "@factory/schema/example-values";

const comment = { comment: "Agreed with the owner of the service." };

/** Members of the example bodies, by operation, beside those that a body must have. The README has the same values. */
export const exampleBodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  registerTemplate: { name: "web-api", category: "Service", description: "A web API with a database.", tags: ["api"] },
  createTemplateVersion: {
    ...{ semanticVersion: "1.0.0", engineKind: "DotnetNewTemplatePack", targetFramework: "net8.0" },
    sourceRef: "git+https://git.example/acme/templates.git#v1.0.0:web-api",
    parameterSchema: {
      type: "object",
      properties: {
        Description: { type: "string" },
        Database: { enum: ["None", "PostgreSql", "SqlServer"] },
      },
    },
  },
  requestExecution: {
    target: { repository: "acme/orders", branch: "main" },
    parameters: { name: "Acme.Orders", Database: "PostgreSql", Description: "Takes orders." },
  },
  validateTemplateVersion: { checks: ["StructuralLint"] },
  evaluateTemplateCompatibility: {
    runtime: "net8.0",
    libraries: [{ packageName: "Acme.Messaging", version: "1.4.0" }],
  },
  registerLibrary: { packageName: "Acme.Messaging" },
  searchLibraries: { capability: "messaging" },
  evaluateLibraryCompatibility: { runtime: "net8.0", libraries: [{ packageName: "Acme.Messaging", version: "1.4.0" }] },
  approveScopes: comment,
  rejectScopes: comment,
  approveTenantSetting: comment,
  rejectTenantSetting: comment,
  setConfigEntry: { value: "main" },
  setFeatureFlag: { enabled: true, description: "The new order form." },
  activatePlanSubscription: { billingCycle: "Annual" },
  cancelPlanSubscription: { reason: "The project has ended." },
  inviteUser: { email: "ada@acme.example", roleCodes: ["Developer"] },
  registerTenant: { name: "Acme", slug: "acme", editionCode: "Free", ownerEmail: "ada@acme.example" },
  sendNotification: {
    ...{ channel: "Email", recipient: { email: "ada@acme.example" } },
    ...{ title: "Your report is ready", body: "It can be downloaded for a week." },
  },
  broadcastNotification: { body: "The platform is updated tonight." },
  assignRole: { userId: exampleId("usr") },
  markNotificationsRead: { recipientUserId: exampleId("usr") },
  setNotificationPreferences: {
    recipientUserId: exampleId("usr"),
    preferences: [{ channel: "Sms", category: "reports", enabled: false }],
  },
  previewNotificationTemplate: { locale: "en", data: { reportName: "Usage", url: "https://factory.example/" } },
  setNotificationTemplate: {
    texts: [{ locale: "en", subject: "Orders", paragraphs: ["There is a new order."] }],
  },
  generateReport: { format: "csv" },
  disableUser: { clients: "Keep" },
  registerProvider: { key: "acme-payments", displayName: "Acme Payments", category: "Payment", authModel: "ApiKey" },
  updateProvider: { displayName: "Acme Payments" },
  createConnection: { displayName: "Payments of the shop", authMode: "ApiKey" },
  updateConnection: { displayName: "Payments of the shop" },
  suspendConnection: { reason: "The vendor is being replaced." },
  resumeConnection: { reason: "The vendor works again." },
  createWebhookSubscription: {
    ...{ eventType: "TemplateExecuted", endpointUrl: "https://acme.example/hooks" },
    ...{ signingSecretRef: "orders-webhook", active: false },
  },
  updateWebhookSubscription: { active: false },
  sendWebhookExample: { eventType: "TemplateExecuted" },
  createCredential: { name: "payments", secret: { token: "the-vendor's-token" } },
  updateCredential: { graceSeconds: 3600 },
  revokeCredential: { reason: "The key was published." },
  rotateWebhookSubscriptionSecret: { graceSeconds: 3600 },
};
