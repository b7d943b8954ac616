import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { pointerToken } from "@factory/runtime/errors/json-pointer";
import { isStorable } from "@factory/runtime/input-validation/storable-text";
import { credentialReferencePattern } from "@factory/schema/credential-reference";
import { refuseAgents } from "../../providers/agent-access/agent-access.js";

/** The limits for `configuration`. */
const limits = { members: 100, nameLength: 100, valueLength: 4096, totalLength: 32_768 };

const referenceForm = new RegExp(credentialReferencePattern, "u");

/** A connection's settings, and the members that the platform understands. */
export interface CheckedConfiguration {
  readonly configuration: Record<string, string>;
  readonly webhookSecretRef: string | null;
  readonly externalAccountId: string | null;
}

/** Throws PARAMETERS_INVALID with an entry in `errors` for each member that is refused. */
export function checkedConfiguration(settings: Record<string, unknown>): CheckedConfiguration {
  const members = Object.entries(settings);
  const errors = members.slice(0, limits.members).flatMap(([name, value]) => problemOf(name, value));
  if (members.length > limits.members)
    errors.push(problem("", "TOO_LONG", `Must have at most ${limits.members} members.`));
  const configuration = Object.fromEntries(members) as Record<string, string>;
  if (errors.length === 0 && JSON.stringify(configuration).length > limits.totalLength)
    errors.push(problem("", "TOO_LONG", `Must be at most ${limits.totalLength} characters of JSON.`));
  if (errors.length > 0)
    throw new DomainError("PARAMETERS_INVALID", {
      detail: "The configuration of the connection is not valid. See errors for each member.",
      errors: errors.slice(0, 20),
    });
  return {
    configuration,
    webhookSecretRef: configuration["webhookSecretRef"] ?? null,
    externalAccountId: configuration["accountId"] ?? null,
  };
}

/** The settings that decide which tools may be called. */
const toolSettings = ["allowedTools", "toolServer"];

/** Throws SELF_APPROVAL when an agent changes which tools may be called: they are the limit of what it can do. */
export function refuseToolsOfAgents(
  principal: Principal,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): void {
  const changedSettings = toolSettings.filter((name) => before[name] !== after[name]);
  if (changedSettings.length > 0)
    refuseAgents(
      principal,
      `An agent may not change ${changedSettings.join(" and ")}. A person or a service has to do it.`,
    );
}

function problemOf(name: string, value: unknown): FieldError[] {
  const pointer = `/${pointerToken(name)}`;
  if (name === "" || name.length > limits.nameLength || !isStorable(name))
    return [problem(pointer, "TOO_LONG", `A name must have 1 to ${limits.nameLength} characters.`)];
  if (typeof value !== "string") return [problem(pointer, "TYPE", "Must be a string.")];
  if (value.length > limits.valueLength)
    return [problem(pointer, "TOO_LONG", `Must be at most ${limits.valueLength} characters.`)];
  if (!isStorable(value)) return [problem(pointer, "FORMAT", "Must be valid Unicode text without the character NUL.")];
  if (name === "webhookSecretRef" && !referenceForm.test(value))
    return [problem(pointer, "FORMAT", "Must name a credential, for example secret://github-webhooks.")];
  if (name === "accountId" && (value === "" || value.length > 200))
    return [problem(pointer, "TOO_LONG", "Must have 1 to 200 characters.")];
  return [];
}

const problem = (pointer: string, code: string, detail: string): FieldError => ({
  pointer: `/input/configuration${pointer}`,
  code,
  detail,
});
