import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { inputValidator } from "@factory/runtime/input-validation/input-validator";
import { unstorableText } from "@factory/runtime/input-validation/storable-text";
import type { CommandType } from "@factory/schema/command-names";
import type {
  DeprecateLibraryVersionInput,
  ImportLibraryPackageInput,
  RetireLibraryVersionInput,
} from "../libraries/library.input.js";
import type { DeprecateTemplateVersionInput } from "../templates/template-version.input.js";

/** The data of each command, as its schema in `schema/commands` defines it. */
export interface CommandData {
  PublishTemplateVersion: { templateVersionId: string };
  DeprecateTemplateVersion: { templateVersionId: string } & DeprecateTemplateVersionInput;
  PublishLibraryVersion: { libraryVersionId: string };
  DeprecateLibraryVersion: { libraryVersionId: string } & DeprecateLibraryVersionInput;
  RetireLibraryVersion: { libraryVersionId: string } & RetireLibraryVersionInput;
  ImportLibraryPackage: ImportLibraryPackageInput;
}

/** The request of the gRPC method, as protobuf decodes it. */
interface ImportRequest {
  readonly sourceRef: string;
  readonly libraryId?: string | undefined;
}

type Validate = (value: unknown) => FieldError[];
const validators = new Map<CommandType, Validate>();

/** Validates the data of a command by its schema; unknown members are allowed. Throws VALIDATION_FAILED. */
export function checkedData<C extends CommandType>(type: C, data: unknown): CommandData[C] {
  requireValid(type, data, validator(type));
  return data as CommandData[C];
}

/** Validates the request of an import over gRPC. Throws VALIDATION_FAILED. */
export function checkedImport({ sourceRef, libraryId }: ImportRequest): ImportLibraryPackageInput {
  return checkedData("ImportLibraryPackage", { sourceRef, ...(libraryId === undefined ? {} : { libraryId }) });
}

function requireValid(name: CommandType, data: unknown, validate: Validate): void {
  const unstorable = unstorableText(data);
  const errors = unstorable.length > 0 ? unstorable : validate(data);
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The data is not valid for the command ${name}. ${sentenceOf(errors)}`,
      errors,
    });
}

/** One text for all errors, since a refusal on the bus has no list of errors. */
function sentenceOf(errors: readonly FieldError[]): string {
  return errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(" ");
}

/** The schema is read at the first command of its type. */
function validator(type: CommandType): Validate {
  const known = validators.get(type);
  if (known) return known;
  const file = fileURLToPath(import.meta.resolve(`@factory/schema/commands/${type}.schema.json`));
  const { $id: _, ...schema } = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const validate = inputValidator(schema);
  validators.set(type, validate);
  return validate;
}
