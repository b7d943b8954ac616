import { checkedCommandData } from "@factory/runtime/messages/command-data";
import type { ScanDependenciesInput } from "../compatibility/dependency-scans/dependency-scan.input.js";
import type {
  DeprecateLibraryVersionInput,
  ImportLibraryPackageInput,
  RetireLibraryVersionInput,
} from "../libraries/libraries/library.input.js";
import type { DeprecateTemplateVersionInput } from "../templates/templates/template-version.input.js";

/** Each command's data, as its schema in `schema/commands` defines it. */
export interface CommandData {
  PublishTemplateVersion: { templateVersionId: string };
  DeprecateTemplateVersion: { templateVersionId: string } & DeprecateTemplateVersionInput;
  PublishLibraryVersion: { libraryVersionId: string };
  DeprecateLibraryVersion: { libraryVersionId: string } & DeprecateLibraryVersionInput;
  RetireLibraryVersion: { libraryVersionId: string } & RetireLibraryVersionInput;
  ImportLibraryPackage: ImportLibraryPackageInput;
  ScanDependencies: ScanDependenciesInput;
}

/** The gRPC method's request, as protobuf decodes it. */
interface ImportRequest {
  readonly sourceRef: string;
  readonly libraryId?: string | undefined;
}

/** The gRPC request for a scan, as protobuf decodes it. */
interface ScanRequest {
  readonly templateVersionId?: string | undefined;
  readonly runtime?: string | undefined;
  readonly libraries: readonly { packageName: string; version: string }[];
}

/** Validates a command's data by its schema; unknown members are allowed. Throws VALIDATION_FAILED. */
export function checkedData<C extends keyof CommandData>(type: C, data: unknown): CommandData[C] {
  return checkedCommandData(type, data) as CommandData[C];
}

/** Validates a gRPC request for an import. Throws VALIDATION_FAILED. */
export function checkedImport({ sourceRef, libraryId }: ImportRequest): ImportLibraryPackageInput {
  return checkedData("ImportLibraryPackage", { sourceRef, ...(libraryId === undefined ? {} : { libraryId }) });
}

/** An import's input, from its command's data. Throws VALIDATION_FAILED. */
export function checkedImportCommand(data: unknown): ImportLibraryPackageInput {
  const { sourceRef, libraryId = null } = checkedData("ImportLibraryPackage", data);
  return { sourceRef, libraryId };
}

/** A scan's input, from its command's data. Throws VALIDATION_FAILED. */
export function checkedScan(data: unknown): ScanDependenciesInput {
  const { templateVersionId, runtime, libraries } = checkedData("ScanDependencies", data);
  const libraryReferences = libraries?.map(({ packageName, version }) => ({ packageName, version }));
  return {
    ...(templateVersionId == null ? {} : { templateVersionId }),
    ...(runtime == null ? {} : { runtime }),
    ...(libraryReferences === undefined ? {} : { libraries: libraryReferences }),
  };
}

/** A scan's input, from a gRPC request, in which an empty list counts as absent. Throws VALIDATION_FAILED. */
export function checkedScanRequest({ templateVersionId, runtime, libraries }: ScanRequest): ScanDependenciesInput {
  return checkedScan({
    templateVersionId: templateVersionId ?? null,
    runtime: runtime ?? null,
    libraries: libraries.length === 0 ? null : libraries,
  });
}
