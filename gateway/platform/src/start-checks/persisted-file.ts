import type { PlatformEnvironment } from "../settings/environment.js";
import type { MachineCheck } from "./start-check.js";

type PersistedFile = NonNullable<PlatformEnvironment["persistedDocuments"]>;

/** The file of persisted documents must be readable as such. Whether they fit the graph is known later. */
export const persistedFile: MachineCheck = async ({ persistedDocuments }) => {
  if (!persistedDocuments) return undefined;
  // only this setting needs the modules before the database starts
  const { PersistedDocuments } = await import("@factory/gateway/persisted-documents/persisted-documents");
  const { file, only } = persistedDocuments;
  return PersistedDocuments.read(file, only).then(
    () => undefined,
    (error: unknown) => persistedProblem(persistedDocuments, error),
  );
};

/** The line for the operator, for an error about the documents. */
export function persistedProblem({ file }: PersistedFile, error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ");
  return `PERSISTED_DOCUMENTS=${file} cannot be used: ${reason} Correct the file, or remove the setting.`;
}
