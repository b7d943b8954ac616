import { violatedUnique } from "@factory/runtime/errors/database-failure";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { dropEntry, indexEntry, reindexVersions } from "../search-index/search-index-statement.js";
import { Library, type LibraryCapability } from "./library.entity.js";
import type { CapabilityInput, RegisterLibraryInput } from "./library.input.js";
import type { LibraryVersionState } from "./library.states.js";
import { LibraryVersion, type PackageLicense } from "./library-version.entity.js";
import type { NewLibraryVersion } from "./library-version-check.js";

interface NewLibrary extends Pick<RegisterLibraryInput, "packageName" | "area" | "owner" | "capabilities" | "tags"> {
  readonly title?: string | null;
  readonly description?: string | null;
}

/** Writes a library and records its event. Call `indexLibrary` after its versions are written. */
export async function writeLibrary(transaction: Transaction, input: NewLibrary): Promise<Library> {
  const { em, tenant, record } = transaction;
  const capabilities = (input.capabilities ?? []).map(storedCapability);
  const library = em.create(Library, {
    tenantId: tenant.tenantId,
    libraryId: newId("lib"),
    packageName: input.packageName,
    packageKey: input.packageName.toLowerCase(),
    title: input.title ?? null,
    description: input.description ?? null,
    area: input.area ?? null,
    owner: input.owner ?? null,
    capabilities,
    tags: [...new Set(input.tags ?? [])],
    dependencyKeys: [],
    revision: 0,
    searchStale: true,
    status: "Active",
    createdAt: new Date(),
  });
  em.persist(library);
  const { libraryId, packageName, area, owner, tags, status } = library;
  record({
    type: "LibraryRegistered",
    subject: `libraries/${libraryId}`,
    data: { libraryId, packageName, area, owner, capabilities, tags, status },
  });
  await em.flush();
  return library;
}

export function storedCapability({ name, contract, exclusive }: CapabilityInput): Required<LibraryCapability> {
  return { name, contract: contract ?? null, exclusive: exclusive ?? false };
}

/** The library, locked until the transaction ends. Throws LIBRARY_NOT_FOUND. */
export async function lockedLibrary({ em, tenant }: Transaction, libraryId: string): Promise<Library> {
  const isLibraryId = decodeId("lib", libraryId) !== undefined;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const library = isLibraryId ? await em.findOne(Library, { tenantId: tenant.tenantId, libraryId }, lock) : null;
  if (!library) throw new DomainError("LIBRARY_NOT_FOUND", { detail: `This tenant has no library ${libraryId}.` });
  return library;
}

/** Writes a version and records its events. A version with a deprecation is Deprecated from the start. */
export function writeVersion(
  { em, tenant, record }: Transaction,
  library: Library,
  facts: NewLibraryVersion & { resolvedRef?: string; license?: PackageLicense | null; publish?: boolean },
): LibraryVersion {
  const { publish = true, resolvedRef = null, license = null, ...fields } = facts;
  const version = em.create(LibraryVersion, {
    ...fields,
    tenantId: tenant.tenantId,
    libraryVersionId: newId("lbv"),
    libraryId: library.libraryId,
    resolvedRef,
    license,
    retirementReason: null,
    status: entryState(publish, fields.deprecation !== null),
    createdAt: new Date(),
  });
  em.persist(version);
  const { targetFrameworks } = version;
  const subject = `libraries/${library.libraryId}`;
  record({ type: "LibraryVersionRegistered", subject, data: { ...versionFacts(library, version), targetFrameworks } });
  if (version.status === "Deprecated")
    record({
      type: "LibraryVersionDeprecated",
      subject,
      data: { ...versionFacts(library, version), ...version.deprecation },
    });
  return version;
}

/** Adds a new library to the search index, after its versions were written. */
export async function indexLibrary(transaction: Transaction, library: Library): Promise<void> {
  const { libraryId, packageName: name, area, owner, tags, status, capabilities } = library;
  const uuid = decodeId("lib", libraryId) ?? "";
  await noteChange(transaction, uuid);
  await indexEntry(transaction, { entryId: uuid, source: "Library", name, area, owner, tags, status, capabilities });
}

/** Brings the search index up to date after a library's capabilities were changed. `before` are the earlier ones. */
export async function reindexCapabilities(
  transaction: Transaction,
  library: Library,
  before: readonly LibraryCapability[],
): Promise<void> {
  await transaction.em.flush();
  await dropEntry(transaction, decodeId("lib", library.libraryId) ?? "", before);
  await indexLibrary(transaction, library);
}

/** Updates the search index after versions of an existing library were written or changed their state. */
export async function indexVersions(transaction: Transaction, libraryId: string): Promise<void> {
  const uuid = decodeId("lib", libraryId) ?? "";
  // this comes first: it locks the library, and so waits for a transaction that adds it to the index
  await noteChange(transaction, uuid);
  await reindexVersions(transaction, uuid);
}

async function noteChange({ em, tenant, execute }: Transaction, uuid: string): Promise<void> {
  await em.flush();
  await execute(
    `update libraries library set revision = revision + 1, dependency_keys = array(
       select distinct lower(dependency->>'packageName')
       from library_versions version, jsonb_array_elements(version.dependencies) dependency
       where version.tenant_id = library.tenant_id and version.library_id = library.library_id order by 1)
     where tenant_id = $1 and library_id = $2`,
    [tenant.uuid, uuid],
  );
}

function entryState(publish: boolean, isDeprecated: boolean): LibraryVersionState {
  if (!publish) return "Registered";
  return isDeprecated ? "Deprecated" : "Published";
}

/** The members that all events about a version have. */
export function versionFacts({ libraryId, packageName }: Library, version: LibraryVersion) {
  const { libraryVersionId, semanticVersion, status } = version;
  return { libraryId, packageName, libraryVersionId, semanticVersion, status };
}

/** The DomainError for a violated unique constraint; any other error is returned as it is. */
export function writingFailure(error: unknown, packageName = "A library of this package name"): unknown {
  const violatedIndex = violatedUnique(error);
  if (violatedIndex === "libraries_package")
    return new DomainError("LIBRARY_EXISTS", {
      detail: `${packageName} is already registered in this tenant. Register a version of it instead.`,
    });
  if (violatedIndex === "library_versions_version")
    return new DomainError("LIBRARY_VERSION_EXISTS", {
      detail: "This version of the library is already registered. Use another version number.",
    });
  return error;
}
