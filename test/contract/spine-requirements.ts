import { inFile, type Requirement } from "./requirement.js";

/**
 * Each requirement in specification 002 (the spine). Questions that it leaves open ("not shown") are decided in
 * `schema/decisions/`.
 */
export const spineRequirements: readonly Requirement[] = [
  ...inFile("test/contract/openapi.test.ts", {
    "Overview: an OpenAPI document": "lists exactly the public routes that are served",
  }),
  ...inFile("test/contract/endpoint-table.test.ts", {
    "Overview: paths use plural, lowercase, hyphenated collection nouns":
      "has paths of lowercase, hyphenated nouns, and collections in the plural",
    "Endpoints: paths are served under the /v1 prefix":
      "has paths of lowercase, hyphenated nouns, and collections in the plural",
    "Overview: public traffic enters through the gateway":
      "names root fields that exist, and each root field has one endpoint",
    "Resources: timestamps are ISO 8601 in UTC": "answers each time as ISO 8601 in UTC",
  }),
  ...inFile("rest-facade/src/requests/routes.contract.test.ts", {
    "Endpoints: each method and path of the table": "have exactly one row for every specified endpoint",
  }),
  ...inFile("rest-facade/src/server.test.ts", {
    "Overview: every request carries or propagates a traceId": "continues the trace of the caller",
    "Overview: internal REST is inside the cluster only":
      "serve provisioning on the internal listener only, with and without /v1",
    "Errors: generated APIs share one error contract":
      "turns the error of a subgraph into a problem without internal details",
    "Limits: pagination follows shared conventions": "read limit, cursor and filters by name, with their aliases",
    "Versioning 1: an api-version header for finer negotiation":
      "GET /v1/tenants names its versions and refuses others",
  }),
  ...inFile("test/rest/spine.test.ts", {
    "Tenant: the members of the request and of the response; timestamps are ISO 8601 in UTC":
      "returns the documented members, and no data of the owner",
    "Tenants: GET /tenants with tenant.read": "returns the documented members and filters",
    "Tenants: provisioning is triggered on an internal endpoint, and answers a run id":
      "makes the tenant Active, with a plan subscription",
    "Overview: public traffic does not reach the internal surface":
      "does not exist on the public port, with or without a token or /v1",
    "Authentication 2: the discovery document is anonymous":
      "describes the served endpoints, and its keys verify the tokens",
    "Versioning 1: the version of the answer": "answers in the version of the header api-version",
  }),
  ...inFile("subgraphs/spine/src/tenants/tenants/tenant.resolver.test.ts", {
    "States: a tenant, new, is Provisioning": "creates a tenant in Provisioning and records an event of that tenant",
    "Tenants: for platform administrators": "needs a token, the scope and a platform administrator",
  }),
  ...inFile("test/rest/users.test.ts", {
    "User invitation: the members of the request and of the response":
      "returns the invitation as the specification shows it",
    "Users: GET /users with user.read": "finds users by address, role, state and the beginning of a name, in pages",
  }),
  ...inFile("subgraphs/spine/src/people/invitations/invitation.resolver.test.ts", {
    "States: an invitation, new, is Pending; expiresAt gives its expiry":
      "creates a Pending invitation for seven days, and sends its link only to the address",
  }),
  ...inFile("test/rest/roles.test.ts", {
    "Roles: GET /roles with role.read": "lists roles in pages, with filters and a link to the next page",
    "Roles: POST /roles/{roleId}/assignments with role.assign":
      "return 201, and 200 with the same body for a repetition; DELETE returns 204",
    "Authentication 3: scopes drive authorization by role":
      "loses a role at once, and a refresh gives the remaining scopes",
  }),
  ...inFile("test/rest/plan-subscriptions.test.ts", {
    "Subscription activation: the members of the request and of the response; Annual":
      "activates an edition for a year, and a token shows the edition from then on",
    "Subscriptions: GET /subscriptions with subscription.read":
      "lists the plan subscription that provisioning created, by status",
  }),
  ...inFile("subgraphs/spine/src/plans/plan-subscriptions/plan-subscription.resolver.test.ts", {
    "States: a subscription in any state becomes Active by its activation": "by %s in the state %s",
  }),
  ...inFile("test/rest/feature-flags.test.ts", {
    "Feature flag: the members of the request and of the response; its key is in the path":
      "creates with 201 and replaces with 200, with the members of the specification",
    "Feature flag: rolloutPercentage is an integer in percent": "refuses the percentage %j",
    "Feature flags: GET /feature-flags with config.read": "lists by prefix and state",
  }),
  ...inFile("test/rest/configuration.test.ts", {
    "Configuration: GET /config and PUT /config/{key}":
      "creates with 201, replaces with 200, deletes with 204, and answers the version as entity tag",
  }),
  ...inFile("test/grpc/entitlements.test.ts", {
    "Entitlements: Entitlements.Check over gRPC": "answers clients that openssl made, under both paths",
    "Entitlements: service identity": "refuses clients without the right certificate",
    "Entitlements: tenant scope": "refuses calls without a valid token of the tenant with its scope",
  }),
  ...inFile("test/rest/token-endpoint.test.ts", {
    "Overview: bearer tokens of an OpenID Connect authorization server":
      "finds every endpoint in the metadata, and each of them answers",
    "Authentication 2: the client credentials grant": "gets the token of a service with only the requested scopes",
    "Authentication 2: the password grant": "gets the token of a user by password, and the token works at the REST API",
    "Authentication 2: the refresh grant": "refreshes, and gets the same successor again until it is used",
  }),
  ...inFile("test/rest/token-attacks.test.ts", {
    "Authentication 1: signature, expiry, audience and issuer are checked": "refuses every attack",
  }),
  ...inFile("test/rest/tenancy.test.ts", {
    "Authentication 4: the tenantId claim must be the tenant of the request":
      "must be the tenant of the token in X-Tenant-Id",
    "Authentication 5: platform-admin scopes act across tenants on the Tenants resource only":
      "cannot read the resources of a tenant",
    "Overview: outbound webhooks, which leave through integration":
      "reach only their own tenant, on the websocket and at webhooks, with the subject as a federated entity",
  }),
  ...inFile("test/contract/row-level-security.test.ts", {
    "Overview: tenant isolation on every request": "shows a tenant exactly its own rows",
  }),
  ...inFile("test/grpc/mutual-tls.test.ts", {
    "Overview: gRPC is inside the cluster only": "refuses a client without a certificate of the platform",
  }),
  ...inFile("test/events/schemas.test.ts", {
    "Events: contracts follow the versioning of the envelope": "are sent in the canonical envelope",
    "Versioning 4: event contracts are versioned separately": "has exactly one schema for each event of this release",
  }),
  ...inFile("rest-facade/src/rate-limits/rate-limits.test.ts", {
    "Limits: rate limiting is applied per tenant": "count per class and tenant, and report the remaining requests",
  }),
  ...inFile("rest-facade/src/stop.test.ts", {
    "Limits: metrics are per route and tenant":
      "metrics name route and tenant, on the public listener only in development",
  }),
  ...inFile("test/rest/notifications.test.ts", {
    "Notifications: POST /notifications with notification.send": "sends a notification to a person, who reads it",
    "Notifications: GET /notifications with notification.read": "lists by state, channel, recipient and read mark",
    "Notifications: asynchronous operations return an id that correlates to resulting events":
      "returns ids by which the events are found",
    "Notifications: pagination follows shared conventions": "is read in pages",
  }),
  ...inFile("subgraphs/spine/src/notifications/notifications/notification.resolver.test.ts", {
    "Authentication 3: attribute-based checks for resource constraints, of notifications":
      "shows a person the own notifications only",
  }),
  ...inFile("test/rest/reports.test.ts", {
    "Reports: GET /reports with report.read": "lists the reports of a new tenant",
    "Report run: the members of the request and of the response; Queued at first":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Report run: the report definition id is given in the path":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Overview: asynchronous operations return a run id that can be matched to resulting events, of reports":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Events: report generation returns a run id that correlates to resulting events":
      "answers 202 with the members of the specification, and the run id that its events carry",
    "Report run: format, and from and to as dates in YYYY-MM-DD form":
      "refuses a format, and parameters that break the schema of the report",
    "Reports: pagination follows shared conventions": "lists the runs in pages, by their state, format and report",
  }),
  ...inFile("test/rest/report-contents.test.ts", {
    "Authentication 3: attribute-based checks for tenant and resource, of reports":
      "is refused to another tenant, without the scopes of the rows, and after its expiry",
  }),
  ...inFile("subgraphs/spine/src/reports/reports/reports.test.ts", {
    "States: a report run, new, is Queued; the other states are ours":
      "is Queued, then Completed with its content, and tells of it",
    "Overview: tenant isolation on every request, of report runs": "is not found by another tenant, nor is its content",
  }),
  ...inFile("test/rest/other-tenant.test.ts", {
    "Configuration: tenant isolation":
      "returns the same bytes for an object of another tenant and for one that does not exist",
    "Notifications: tenant isolation on every request":
      "returns the same bytes for an object of another tenant and for one that does not exist",
  }),
  ...inFile("test/rest/endpoints.test.ts", {
    "Configuration: its scopes": "requires its scope",
    "Authentication 3: scopes drive the authorization of endpoints": "requires its scope",
    "Errors: 403 where the tenantId claim differs from the tenant of the request":
      "refuses a tenant other than that of the token",
    "Versioning 2: new optional fields are additive":
      "is accepted with unknown members, and with null for optional members",
    "Versioning 3: an unknown major version is not served": "is not found",
    "Reports: POST /reports/{id}/generate with report.generate": "is open to %s alone",
  }),
];
