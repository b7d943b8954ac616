import { graphql } from "./request.js";
import { platformToken } from "./tenants.js";

/** A platform edition, as GraphQL shows it. */
export interface TestEdition {
  readonly code: string;
  readonly name: string;
  readonly trialDays: number;
  readonly features: Readonly<Record<string, unknown>>;
  readonly active: boolean;
  readonly version: number;
}

/** Creates an edition with a new code. `token` belongs to a platform administrator. */
export async function anEdition(token: string, input: Record<string, unknown> = {}): Promise<TestEdition> {
  const code = `Edition-${Math.random().toString(36).slice(2)}`;
  const { body } = await graphql<{ createEdition: TestEdition }>(
    "mutation ($input: CreateEditionInput!) { createEdition(input: $input) { code name trialDays features active version } }",
    { token, variables: { input: { code, name: code, features: {}, ...input } } },
  );
  if (!body.data?.createEdition) throw new Error(JSON.stringify(body));
  return body.data.createEdition;
}

/** A new edition with 10,000 executions a month, whose tenants begin with a trial; returns its code. */
export async function anEditionWithTrial(trialDays = 14): Promise<string> {
  const features = {
    "executions.monthly": { kind: "metered", limit: 10_000, period: "month", soft: false },
    "users.max": { kind: "limit", limit: null },
    "webhooks.max": { kind: "limit", limit: null },
  };
  return (await anEdition(await platformToken(), { trialDays, features })).code;
}
