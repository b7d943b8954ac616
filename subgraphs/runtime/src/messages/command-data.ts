import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CommandType } from "@factory/schema/command-names";
import { DomainError, type FieldError } from "../errors/domain-error.js";
import { canonicalForm } from "../input-validation/canonical-form.js";
import { inputValidator } from "../input-validation/input-validator.js";
import { unstorableText } from "../input-validation/storable-text.js";

interface KnownCommand {
  readonly canonical: (data: unknown) => unknown;
  readonly validate: (value: unknown) => FieldError[];
  readonly members: readonly string[];
}

const known = new Map<CommandType, KnownCommand>();

/**
 * Validates the data of a command by its schema; unknown members are allowed. Returns the data with addresses and URLs in
 * the form in which the platform stores them. Throws VALIDATION_FAILED.
 */
export function checkedCommandData<Data>(type: CommandType, given: Data): Data {
  const unstorable = unstorableText(given);
  const { canonical, validate } = commandOf(type);
  const data = unstorable.length > 0 ? given : canonical(given);
  const errors = unstorable.length > 0 ? unstorable : validate(data);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The data is not valid for the command ${type}. ${sentenceOf(errors)}`,
      errors,
    });
  return data as Data;
}

/** The members of the data of a command that its schema names. */
export const commandMembers = (type: CommandType): readonly string[] => commandOf(type).members;

/** One text for all errors, since a refusal on the bus has no list of errors. */
function sentenceOf(errors: readonly FieldError[]): string {
  return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" ");
}

/** The schema is read at the first command of its type. */
function commandOf(type: CommandType): KnownCommand {
  const found = known.get(type);
  if (found) return found;
  const file = fileURLToPath(import.meta.resolve(`@factory/schema/commands/${type}.schema.json`));
  const { $id: _, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const members = Object.keys(schema["properties"] ?? {});
  const made = { canonical: canonicalForm(schema), validate: inputValidator(schema), members };
  known.set(type, made);
  return made;
}
