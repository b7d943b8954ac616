import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { canonicalForm } from "@factory/runtime/input-validation/canonical-form";
import { inputValidator } from "@factory/runtime/input-validation/input-validator";
import { withPlainNumbers } from "@factory/runtime/json/kept-numbers";
import { inexactNumbers } from "@factory/runtime/json/own-json";
import type { SettingKey } from "@factory/schema/tenant-setting-values";
import { isSettingKey, tenantSettings } from "@factory/schema/tenant-settings";
import type { SetConfigurationInput } from "./configuration.input.js";

/** The text that is shown in place of a secret. */
export const mask = "********";

const maxBytes = 64 * 1024;

const checks = new Map(
  Object.entries(tenantSettings).map(([key, { schema }]) => [key, inputValidator({ ...schema })] as const),
);

const forms = new Map(Object.entries(tenantSettings).map(([key, { schema }]) => [key, canonicalForm({ ...schema })]));

/**
 * A setting's value with JavaScript numbers, which the platform calculates with, and with domains and URLs in the form
 * in which it stores and compares them. Throws CONFIGURATION_INVALID for a number that would have to be rounded.
 */
export function ownSetting(key: SettingKey, value: unknown): unknown {
  const errors = inexactNumbers(value, "/input/value");
  if (errors.length > 0)
    throw new DomainError("CONFIGURATION_INVALID", {
      detail: `The platform calculates with the setting ${key}, and cannot store this number exactly.`,
      errors,
    });
  return forms.get(key)?.(withPlainNumbers(value));
}

/** The rules that a value of a known setting breaks; none for a key that the platform does not know. */
const settingErrors = (key: string, value: unknown): FieldError[] => checks.get(key)?.(value) ?? [];

/** Whether a stored value still fits the setting's schema, which a release may have changed. */
export const fitsSetting = (key: SettingKey, value: unknown): boolean => settingErrors(key, value).length === 0;

/**
 * The value's JSON text. Throws VALIDATION_FAILED for a missing or too large one, and CONFIGURATION_INVALID for one
 * that the key does not allow. The errors never contain the value.
 */
export function checkedValue(key: string, { value, isSecret }: SetConfigurationInput): string {
  if (value === undefined)
    throw invalid([{ pointer: "/input/value", code: "REQUIRED", detail: "This member is required." }]);
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes)
    throw invalid([
      { pointer: "/input/value", code: "TOO_LONG", detail: `Must have at most ${maxBytes} bytes as JSON text.` },
    ]);
  if (!isFinite(value))
    throw invalid([{ pointer: "/input/value", code: "OUT_OF_RANGE", detail: "A number in it is too large." }]);
  if (isSecret === true) requireSecret(key, value);
  requireSettingValue(key, value);
  return text;
}

/** Throws CONFIGURATION_INVALID when the value breaks the schema of a known setting. */
export function requireSettingValue(key: string, value: unknown, pointer = "/input/value"): void {
  const errors = settingErrors(key, value).map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));
  if (errors.length > 0)
    throw new DomainError("CONFIGURATION_INVALID", {
      detail: `The value does not fit the schema of the setting ${key}. See errors, and knownSettings for the schema.`,
      errors,
    });
}

/** The platform reads known settings, so they cannot be secret. The mask is refused, since a client may send it back. */
function requireSecret(key: string, value: unknown): void {
  if (isSettingKey(key))
    throw new DomainError("CONFIGURATION_INVALID", {
      detail: `${key} is a setting of the platform and cannot be secret.`,
      errors: [{ pointer: "/input/isSecret", code: "UNKNOWN_VALUE", detail: "Must be false for this key." }],
    });
  if (value === mask)
    throw new DomainError("CONFIGURATION_INVALID", {
      detail: "The value is the mask of a secret value. Send the secret itself.",
      errors: [{ pointer: "/input/value", code: "FORMAT", detail: `Must not be ${mask}.` }],
    });
}

/** A platform setting may be 1e400 in JSON text, which is Infinity as a JavaScript number. */
function isFinite(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isFinite);
}

const invalid = (errors: FieldError[]) =>
  new DomainError("VALIDATION_FAILED", { detail: "The value of the entry is not accepted. See errors.", errors });
