import { checkedCommandData } from "@factory/runtime/messages/command-data";
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

/** Validates the data of a command by its schema; unknown members are allowed. Throws VALIDATION_FAILED. */
export function checkedData<C extends keyof CommandData>(type: C, data: unknown): CommandData[C] {
  return checkedCommandData(type, data) as CommandData[C];
}

/** Validates the request of an import over gRPC. Throws VALIDATION_FAILED. */
export function checkedImport({ sourceRef, libraryId }: ImportRequest): ImportLibraryPackageInput {
  return checkedData("ImportLibraryPackage", { sourceRef, ...(libraryId === undefined ? {} : { libraryId }) });
}
