import { inFile, type Requirement } from "./requirement.js";

/**
 * Each requirement in specification 001. Questions that it leaves open ("not shown") are decided in
 * `schema/decisions/`.
 */
export const integrationRequirements: readonly Requirement[] = [
  ...inFile("test/rest/integration.test.ts", {
    "Connection: the members of the request, of the 201 and of the read; Active and Healthy at first":
      "takes the values that the specification shows, and answers and is read with its members",
    "Resources: timestamps are ISO 8601 in UTC, and ids are opaque":
      "takes the values that the specification shows, and answers and is read with its members",
    "Provider: the members of the request and of the response; Registered at first": "returns the documented members",
    "Provider: registered at the path of its Location, for its tenant only":
      "shows the provider at its Location, but not to another tenant",
    "Provider: closed sets of category and authModel": "names every value that is not an allowed value",
    "Subscription: the members of the request and of the response":
      "returns the documented members and the generated secret",
    "Subscription: active false sends nothing": "sends nothing to a subscription that is not active",
    "Subscription: it selects one platform event":
      "refuses an unknown event, an event that the token may not read, and an unknown content type",
    "Resources: fields named Ref are references to a secret store entry": "returns a reference and never the secret",
    "Versioning 1: the Accept header selects the version": "may be used for the body",
  }),
  ...inFile("test/rest/inbound-deliveries.test.ts", {
    "Delivery: headers, body and response; Accepted at first":
      "records a delivery that is signed with the secret of an Inbound subscription",
    "Authentication 4: HMAC with a secret held per subscription":
      "verifies with the secret of an outbound subscription too",
    "Authentication 4: without a right signature nothing is accepted":
      "refuses each change of a signed delivery with the same answer",
    "Authentication 4: a JWS of the vendor": "verifies with the key set of the vendor on both paths",
    "Authentication 3: the tenant is that of the secret":
      "finds the tenant by its secret, and refuses a delivery that secrets of two tenants verify",
  }),
  ...inFile("test/rest/tampered-deliveries.test.ts", {
    "Authentication 4: no bearer token":
      "gives nothing without a signature, and a signed delivery needs neither it nor any token",
  }),
  ...inFile("subgraphs/integration/src/providers/normalized-events/normalized-event-type.test.ts", {
    "Events: a delivery is mapped to a normalized event type":
      "prefixes the types that the platform itself emits, and only those",
  }),
  ...inFile("test/rest/runs.test.ts", {
    "Run: its members, and its states until Completed":
      "shows the members of the specification, and Retry-After until the run has ended",
  }),
  ...inFile("test/rest/credential-rotation.test.ts", {
    "Rotation: the members of the request and of the response; Rotating, with the run that verifies":
      "answers 202 with the run that verifies the new version",
    "Rotation: a new version is verified before it is used": "verifies a new key at the vendor before it is used",
  }),
  ...inFile("test/rest/endpoints.test.ts", {
    "Overview: bearer tokens": "requires a token",
    "Errors: every refusal is a problem body with the traceId of its request":
      "refuses a token that the platform did not sign",
    "Authentication 2: authorization by scope": "requires its scope",
    "Authentication 2: each scope of the table opens its endpoints": "is open to %s alone",
    "Versioning 2: additive changes do not break a client":
      "is accepted with unknown members, and with null for optional members",
  }),
  ...inFile("test/graphql/other-tenant.test.ts", {
    "Authentication 3: the tenant of the token is that of the resource": "shows the object to the tenant that owns it",
  }),
  ...inFile("test/rest/other-tenant.test.ts", {
    "Authentication 3: what another tenant has is not changed": "are as they were before all these requests",
  }),
  ...inFile("test/rest/tenancy.test.ts", {
    "Authentication 3: the tenant that a request names": "must be the tenant of the token in X-Tenant-Id",
  }),
  ...inFile("test/rest/token-endpoint.test.ts", {
    "Authentication 1: client credentials of services": "gets the token of a service with only the requested scopes",
  }),
  ...inFile("test/rest/authorization-code.test.ts", {
    "Authentication 1: authorization code of studio users":
      "returns a code to openid-client, which redeems it as a confidential client",
  }),
  ...inFile("rest-facade/src/requests/routes.contract.test.ts", {
    "Endpoints: all seven rows are served": "have exactly one row for every specified endpoint",
  }),
  ...inFile("test/contract/media-type.test.ts", {
    "Versioning 1: application/vnd.service.integration.v1+json, and no version without the header":
      "has the media type that was asked for",
    "Versioning 3: only known major versions are served; a deprecation window begins with the second one":
      "names the version, and an unknown version is refused before everything else",
    "Overview: responses carry a traceId": "is described with traceId where the specification shows it",
  }),
  ...inFile("test/rest/main-job.test.ts", {
    "Versioning 4: the header svc-schema-version of event payloads":
      "leads from a registered template to a generated project, with its events and its webhooks",
  }),
  ...inFile("test/rest/commands.test.ts", {
    "Internal: commands cannot be sent by external partners":
      "requires a platform administrator on the internal listener",
  }),
  ...inFile("test/grpc/mutual-tls.test.ts", {
    "Internal: gRPC cannot be reached by external partners": "refuses a client without a certificate of the platform",
  }),
  ...inFile("subgraphs/integration/src/models-and-tools/model-invocation/model-invocation.test.ts", {
    "Internal: gRPC propagates traceId and correlationId of calls of models":
      "answers through the connection, as a run with an event",
    "Internal: Complete, with tenant and authorization as over REST":
      "refuses a call without a token, with another tenant's, and without the scope, before the vendor is asked",
    "Internal: Embed": "gives %s in the order of the inputs",
  }),
  ...inFile("subgraphs/integration/src/models-and-tools/model-invocation/model-stream.test.ts", {
    "Internal: Stream": "gives texts, the reason and the usage, with the run in each chunk",
  }),
  ...inFile("subgraphs/integration/src/models-and-tools/model-invocation/model-spending.test.ts", {
    "Limits: model invocation is limited": "is reserved by maxTokens before the call, and settled by the usage",
  }),
  ...inFile("test/grpc/models.test.ts", {
    "Internal: model invocation is reached by gRPC": "answers products, and the run is read by REST",
  }),
  ...inFile("subgraphs/integration/src/models-and-tools/tool-invocations/tool.endpoint.test.ts", {
    "Internal: ListTools and InvokeTool": "lists its tools and invokes them, each call as a run with events",
    "Internal: gRPC propagates traceId and correlationId":
      "passes the trace and the correlation id on, and answers with trailers",
  }),
  ...inFile("subgraphs/integration/src/commands/vendor-commands/vendor-commands.test.ts", {
    "Internal: SendEmail is a command of the bus":
      "becomes the request of the driver, and is answered by EmailSent with the vendor's id",
    "Internal: SendSms is a command of the bus": "is the form that the preset of a vendor describes",
  }),
  ...inFile("subgraphs/integration/src/commands/vendor-commands/payments/charges.test.ts", {
    "Internal: payments are commands, reconciled with the webhooks of vendors":
      "is answered by PaymentCharged with both ids only when the vendor has reported it",
  }),
  ...inFile("subgraphs/integration/src/commands/vendor-commands/contacts-and-tickets.test.ts", {
    "Internal: contacts are commands":
      "names the contact by the id of the sender, and is answered with the vendor's id",
    "Internal: support is a command":
      "has an idempotency key, and is answered with the id and the address of the ticket",
  }),
  ...inFile("subgraphs/integration/src/commands/vendor-commands/vendor-reports.test.ts", {
    "Internal: commands are reconciled with the webhooks of vendors":
      "tells that a mail has arrived, in the trace and correlation of the command",
  }),
];
