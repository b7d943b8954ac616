import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { IntegrationFixture } from "../../integration.fixture.js";
import type { VendorTarget } from "./exchange/vendor-call.js";

interface Wanted {
  readonly authMode: string;
  readonly baseUrl?: string | undefined;
  readonly driver?: object;
  readonly kind?: string;
  readonly secret?: object;
  readonly configuration?: Record<string, string>;
}

/** Registers a provider and a credential, and gives a connection with them. No connection row is written. */
export async function aVendorTarget(
  fixture: IntegrationFixture,
  principal: Principal,
  options: Wanted,
): Promise<VendorTarget> {
  const key = newId("prv").slice(4);
  const { authMode, baseUrl, driver, kind, secret, configuration = {} } = options;
  const provider = await fixture.run(
    principal,
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { input: { key, displayName: key, category: "Other", authModel: "Custom", baseUrl, driver } },
  );
  if (provider.errors) throw provider.errors[0];
  const credential = secret && (await aCredential(fixture, principal, { name: key, kind, secret }));
  return {
    tenant: tenantWithId(principal.tenantId ?? ""),
    cause: { trace: continueTrace(undefined) },
    connection: {
      connectionId: newId("con"),
      providerId: provider.data.registerProvider.providerId,
      projectId: null,
      authMode,
      credentialId: credential ?? null,
      configuration,
      status: "Active",
    },
  };
}

async function aCredential(fixture: IntegrationFixture, principal: Principal, input: object): Promise<string> {
  const { data, errors } = await fixture.run(
    principal,
    "mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }",
    { input },
  );
  if (errors) throw errors[0];
  return data.createCredential.credentialId;
}

/** The refusal from work that must fail. */
export async function refusalOf(work: Promise<unknown>): Promise<DomainError> {
  const error = await work.then(
    () => new Error("nothing was refused"),
    (reason: unknown) => reason,
  );
  if (error instanceof DomainError) return error;
  throw error;
}
