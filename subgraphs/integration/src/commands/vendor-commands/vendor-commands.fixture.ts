import type { Principal } from "@factory/runtime/auth/principal";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { createCommand } from "@factory/runtime/messages/command";
import type { CommandEnvelope, Envelope } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { commandTypes } from "@factory/schema/command-names";
import { eventually, type IntegrationCaller } from "../../integration.fixture.js";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";

interface Wanted {
  readonly driver?: object;
  readonly preset?: string;
  readonly capabilities: readonly string[];
  readonly baseUrl?: string;
  readonly authMode?: string;
  readonly kind?: string;
  readonly secret?: object;
  readonly configuration?: Record<string, string>;
}

/** Registers a provider with its driver, and connects it. */
export async function aCommandConnection(
  fixture: IntegrationCaller,
  principal: Principal,
  { driver, preset, capabilities, baseUrl, authMode = "None", kind, secret, configuration = {} }: Wanted,
): Promise<{ connectionId: string; providerId: string; key: string }> {
  const key = newId("prv").slice(4);
  const run = async (source: string, input: object) => {
    const { data, errors } = await fixture.run(principal, source, { input });
    if (errors) throw errors[0];
    return Object.values(data)[0] as Record<string, string>;
  };
  const provider = await run(
    "mutation ($input: RegisterProviderInput!) { registerProvider(input: $input) { providerId } }",
    { key, displayName: key, category: "Other", authModel: "Custom", capabilities, baseUrl, driver, preset },
  );
  if (secret)
    await run("mutation ($input: CreateCredentialInput!) { createCredential(input: $input) { credentialId } }", {
      ...{ name: key, kind, secret },
    });
  const { providerId = "" } = provider;
  const connection = { providerId, displayName: key, authMode, configuration, ...(secret && { credentialRef: key }) };
  const { connectionId = "" } = await run(
    "mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }",
    connection,
  );
  return { connectionId, providerId, key };
}

/** The principal's command, as another subgraph sends it. */
export function aCommand(
  { subject, tenantId }: Principal,
  type: VendorCommandType,
  data: Record<string, unknown>,
  expiresAt?: Date,
): CommandEnvelope {
  const cause = {
    ...{ trace: continueTrace(undefined), correlationId: `order-${newId("evt")}`, actorId: subject },
    actorScopes: new Set(commandTypes[type].scopes),
  };
  const command = { type, subject: "orders/1", data, ...(expiresAt && { expiresAt }) };
  return createCommand(command, "spine", tenantId ?? "", cause);
}

/** The events that a command has caused, without its run's events, as soon as there are so many. */
export function answersTo(fixture: IntegrationCaller, { id }: CommandEnvelope, atLeast = 1): Promise<Envelope[]> {
  return eventually(async () => {
    const rows = await fixture.rows<{ envelope: Envelope }>(
      `select envelope from integration.outbox where envelope->>'causationid' = $1
         and envelope->>'messagekind' = 'event' and envelope->>'type' not like 'Run%' order by seq`,
      id,
    );
    return rows.length >= atLeast ? rows.map(({ envelope }) => envelope) : undefined;
  });
}
