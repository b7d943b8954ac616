import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { requireCommandData } from "@factory/runtime/messages/command-data";
import type { Cause } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { commandsOf, commandTypes } from "@factory/schema/command-names";
import type { VendorCommandType } from "../provider-drivers/command-template.js";

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
   * Sends the command of the input `{tenantId, type, data, expiresInSeconds}`, and writes an audit record to the log of its
   * tenant. Throws VALIDATION_FAILED, and PARAMETERS_INVALID for an unknown type.
   */
  send(input: unknown, cause: Cause): Promise<SentCommand> {
    const { tenantId, type, data, expiresAt } = wantedCommand(input);
    requireCommandData(type, data);
    const allowed = { ...cause, actorScopes: new Set(commandTypes[type].scopes) };
    return this.#database.transaction(tenantWithId(tenantId), allowed, async ({ send, audit }) => {
      // a key of its own: an operator's command waits for no other one
      const about = { subject: `tenants/${tenantId}`, partitionKey: newId("evt") };
      const { id, correlationid } = send({ type, data, ...about, ...(expiresAt && { expiresAt }) });
      audit({ operation: "POST /commands", subject: `commands/${id}` });
      return { commandId: id, correlationId: correlationid };
    });
  }
}

function wantedCommand(input: unknown): WantedCommand {
  const given = isObject(input) ? input : {};
  const { tenantId, type, data, expiresInSeconds } = given;
  const known = commandsOf("integration");
  const found = known.find((name) => name === type);
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
  if (!found) {
    const detail = `Must be one of ${known.join(", ")}.`;
    const errors = [{ pointer: "/type", code: "UNKNOWN_VALUE", detail }];
    throw new DomainError("PARAMETERS_INVALID", { detail: `/type: ${detail}`, errors });
  }
  const expiresAt = isLife(expiresInSeconds) ? new Date(Date.now() + expiresInSeconds * 1000) : undefined;
  return { tenantId: String(tenantId), type: found, data, expiresAt };
}

const isLife = (seconds: unknown): seconds is number =>
  Number.isInteger(seconds) && Number(seconds) >= 1 && Number(seconds) <= longestLifeSeconds;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
