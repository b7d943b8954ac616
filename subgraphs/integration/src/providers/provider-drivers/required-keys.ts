import { DomainError } from "@factory/runtime/errors/domain-error";
import { moneyCommands } from "./command-template.js";
import type { ProviderDriver } from "./provider-driver.js";

/** Whether the vendor could move money twice for one command, since it takes no idempotency key. */
export const lacksIdempotencyKeys = ({ commands, idempotencyHeader }: ProviderDriver): boolean =>
  idempotencyHeader === undefined && moneyCommands.some((type) => commands?.[type] !== undefined);

/** Throws PARAMETERS_INVALID for a driver that moves money without idempotency keys. */
export function requireIdempotencyKeys(driver: ProviderDriver, pointer: string): void {
  if (!lacksIdempotencyKeys(driver)) return;
  const detail = `A vendor of ${moneyCommands.join(" and ")} must take an idempotency key, so that money moves once. Name its header.`;
  throw new DomainError("PARAMETERS_INVALID", {
    detail,
    errors: [{ pointer: `${pointer}/idempotencyHeader`, code: "REQUIRED", detail }],
  });
}
