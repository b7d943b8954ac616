import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { checkedCommandData } from "@factory/runtime/messages/command-data";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { commandsOf, commandTypes } from "@factory/schema/command-names";
import type { VendorCommandType } from "../../providers/provider-drivers/command-template.js";

interface WantedCommand {
  readonly tenantId: string;
  readonly type: VendorCommandType;
  readonly data: Record<string, unknown>;
  readonly expiresAt: Date | undefined;
}

/** A command that was sent. Its answer has the id as `causationid`. */
export interface SentCommand {
  readonly commandId: string;
  readonly correlationId: string;
}

const longestLifeSeconds = 7 * 86_400;

/** Sends commands to vendors for an operator, who may act for every tenant. */
export class CommandSender {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Sends the command in the input `{tenantId, type, data, expiresInSeconds}`, once for each Idempotency-Key per
   * operator and tenant, and writes an audit record to the tenant's log. Throws VALIDATION_FAILED, PARAMETERS_INVALID
   * for an unknown type, and what `idempotentMutation` throws.
   */
  async send(input: unknown, context: RequestContext): Promise<SentCommand> {
    const { tenantId, type, data: inputData, expiresAt } = wantedCommand(input);
    const data = checkedCommandData(type, inputData);
    const principal = principalOf(context);
    const scopes = new Set([...principal.scopes, ...commandTypes[type].scopes]);
    const commandContext = { ...context, principal: { ...principal, scopes } };
    const command = await idempotentMutation<SentCommand>(this.#database, commandContext, {
      ...{ field: "POST /commands", arguments: input, tenant: tenantWithId(tenantId) },
      commit: async ({ send, audit }) => {
        // its own key: an operator's command waits for no other one
        const about = { subject: `tenants/${tenantId}`, partitionKey: newId("evt") };
        const { id, correlationid } = send({ type, data, ...about, ...(expiresAt && { expiresAt }) });
        audit({ operation: "POST /commands", subject: `commands/${id}` });
        return { commandId: id, correlationId: correlationid };
      },
    });
    context.replayed = commandContext.replayed;
    return command;
  }
}

function wantedCommand(input: unknown): WantedCommand {
  const members = isObject(input) ? input : {};
  const { tenantId, type, data, expiresInSeconds } = members;
  const integrationTypes = commandsOf("integration");
  const commandType = integrationTypes.find((name) => name === type);
  const errors: FieldError[] = [];
  if (typeof tenantId !== "string" || decodeId("ten", tenantId) === undefined)
    errors.push({ pointer: "/tenantId", code: "FORMAT", detail: "Must be the id of a tenant." });
  if (!isObject(data)) errors.push({ pointer: "/data", code: "TYPE", detail: "Must be an object." });
  if (expiresInSeconds !== undefined && !isLife(expiresInSeconds))
    errors.push({
      pointer: "/expiresInSeconds",
      code: "OUT_OF_RANGE",
      detail: `Must be a whole number from 1 to ${longestLifeSeconds}.`,
    });
  if (errors.length > 0 || !isObject(data)) {
    const detail = errors.map((error) => `${error.pointer}: ${error.detail}`).join(" ");
    throw new DomainError("VALIDATION_FAILED", { detail, errors });
  }
  if (!commandType) {
    const detail = `Must be one of ${integrationTypes.join(", ")}.`;
    const errors = [{ pointer: "/type", code: "UNKNOWN_VALUE", detail }];
    throw new DomainError("PARAMETERS_INVALID", { detail: `/type: ${detail}`, errors });
  }
  const expiresAt = isLife(expiresInSeconds) ? new Date(Date.now() + expiresInSeconds * 1000) : undefined;
  return { tenantId: String(tenantId), type: commandType, data, expiresAt };
}

const isLife = (seconds: unknown): seconds is number =>
  Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= longestLifeSeconds;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
