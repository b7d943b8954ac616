import { checkedCommandData } from "@factory/runtime/messages/command-data";
import type { ScanDependenciesInput } from "../compatibility/dependency-scans/dependency-scan.input.js";
import type {
  DeprecateLibraryVersionInput,
  ImportLibraryPackageInput,
  RetireLibraryVersionInput,
} from "../libraries/libraries/library.input.js";
import type { DeprecateTemplateVersionInput } from "../templates/templates/template-version.input.js";

/** The data of each command, as its schema in `schema/commands` defines it. */
export interface CommandData {
  PublishTemplateVersion: { templateVersionId: string };
  DeprecateTemplateVersion: { templateVersionId: string } & DeprecateTemplateVersionInput;
  PublishLibraryVersion: { libraryVersionId: string };
  DeprecateLibraryVersion: { libraryVersionId: string } & DeprecateLibraryVersionInput;
  RetireLibraryVersion: { libraryVersionId: string } & RetireLibraryVersionInput;
  ImportLibraryPackage: ImportLibraryPackageInput;
  ScanDependencies: ScanDependenciesInput;
}

/** The request of the gRPC method, as protobuf decodes it. */
interface ImportRequest {
  readonly sourceRef: string;
  readonly libraryId?: string | undefined;
}

/** The request of the gRPC method for scans, as protobuf decodes it. */
interface ScanRequest {
  readonly templateVersionId?: string | undefined;
  readonly runtime?: string | undefined;
  readonly libraries: readonly { packageName: string; version: string }[];
}

/** Validates the data of a command by its schema; unknown members are allowed. Throws VALIDATION_FAILED. */
export function checkedData<C extends keyof CommandData>(type: C, data: unknown): CommandData[C] {
  return checkedCommandData(type, data) as CommandData[C];
}

/** Validates the request of an import over gRPC. Throws VALIDATION_FAILED. */
export function checkedImport({ sourceRef, libraryId }: ImportRequest): ImportLibraryPackageInput {
  return checkedData("ImportLibraryPackage", { sourceRef, ...(libraryId === undefined ? {} : { libraryId }) });
}

/** The input of an import, from the data of its command. Throws VALIDATION_FAILED. */
export function checkedImportCommand(data: unknown): ImportLibraryPackageInput {
  const { sourceRef, libraryId = null } = checkedData("ImportLibraryPackage", data);
  return { sourceRef, libraryId };
}

/** The input of a scan, from the data of its command. Throws VALIDATION_FAILED. */
export function checkedScan(data: unknown): ScanDependenciesInput {
  const { templateVersionId, runtime, libraries } = checkedData("ScanDependencies", data);
  const listed = libraries?.map(({ packageName, version }) => ({ packageName, version }));
  return {
    ...(templateVersionId == null ? {} : { templateVersionId }),
    ...(runtime == null ? {} : { runtime }),
    ...(listed === undefined ? {} : { libraries: listed }),
  };
}

/** The input of a scan, from a request over gRPC, whose empty list is an absent one. Throws VALIDATION_FAILED. */
export function checkedScanRequest({ templateVersionId, runtime, libraries }: ScanRequest): ScanDependenciesInput {
  return checkedScan({
    templateVersionId: templateVersionId ?? null,
    runtime: runtime ?? null,
    libraries: libraries.length === 0 ? null : libraries,
  });
}
