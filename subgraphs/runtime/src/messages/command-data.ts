import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CommandType } from "@factory/schema/command-names";
import { DomainError, type FieldError } from "../errors/domain-error.js";
import { inputValidator } from "../input-validation/input-validator.js";
import { unstorableText } from "../input-validation/storable-text.js";

interface KnownCommand {
  readonly validate: (value: unknown) => FieldError[];
  readonly members: readonly string[];
}

const known = new Map<CommandType, KnownCommand>();

/** Validates the data of a command by its schema; unknown members are allowed. Throws VALIDATION_FAILED. */
export function requireCommandData(type: CommandType, data: unknown): void {
  const unstorable = unstorableText(data);
  const errors = unstorable.length > 0 ? unstorable : commandOf(type).validate(data);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The data is not valid for the command ${type}. ${sentenceOf(errors)}`,
      errors,
    });
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
  const made = { validate: inputValidator(schema), members: Object.keys(schema["properties"] ?? {}) };
  known.set(type, made);
  return made;
}
