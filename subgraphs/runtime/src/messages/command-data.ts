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

const knownCommands = new Map<CommandType, KnownCommand>();

/**
 * Validates a command's data by its schema; unknown members are allowed. Returns the data with addresses and URLs in
 * the form in which the platform stores them. Throws VALIDATION_FAILED.
 */
export function checkedCommandData<Data>(type: CommandType, commandData: Data): Data {
  const unstorable = unstorableText(commandData);
  const { canonical, validate } = commandOf(type);
  const data = unstorable.length > 0 ? commandData : canonical(commandData);
  const errors = unstorable.length > 0 ? unstorable : validate(data);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The data is not valid for the command ${type}. ${sentenceOf(errors)}`,
      errors,
    });
  return data as Data;
}

/** The members that a command's schema names in its data. */
export const commandMembers = (type: CommandType): readonly string[] => commandOf(type).members;

/** One text for all errors, since a refusal on the bus cannot list errors. */
function sentenceOf(errors: readonly FieldError[]): string {
  return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" ");
}

/** The schema is read at the first command with its type. */
function commandOf(type: CommandType): KnownCommand {
  const knownCommand = knownCommands.get(type);
  if (knownCommand) return knownCommand;
  const file = fileURLToPath(import.meta.resolve(`@factory/schema/commands/${type}.schema.json`));
  const { $id: _, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const members = Object.keys(schema["properties"] ?? {});
  const newCommand = { canonical: canonicalForm(schema), validate: inputValidator(schema), members };
  knownCommands.set(type, newCommand);
  return newCommand;
}
