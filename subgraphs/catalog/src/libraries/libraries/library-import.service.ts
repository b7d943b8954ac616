import { advisoryLocks } from "@factory/runtime/db/advisory-locks";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { inputProblem } from "../../ground/input-problems/input-problem.js";
import { InputProblems } from "../../ground/input-problems/input-problems.js";
import type { LibraryPackage, LibraryPackageService } from "../library-packages/library-package.service.js";
import { Library } from "./library.entity.js";
import type { ImportLibraryPackageInput } from "./library.input.js";
import type { LibraryService } from "./library.service.js";
import type { LibraryPackageImportType } from "./library.type.js";
import { libraryRecordView, libraryVersionView } from "./library.view.js";
import { LibraryVersion } from "./library-version.entity.js";
import { checkVersion } from "./library-version-check.js";
import { indexLibrary, indexVersions, writeLibrary, writeVersion, writingFailure } from "./library-writing.js";

/** Registers versions from their packages' metadata. */
export class LibraryImportService {
  readonly #database: Database;
  readonly #libraries: LibraryService;
  readonly #packages: LibraryPackageService;

  constructor(database: Database, libraries: LibraryService, packages: LibraryPackageService) {
    this.#database = database;
    this.#libraries = libraries;
    this.#packages = packages;
  }

  async importPackage(context: RequestContext, input: ImportLibraryPackageInput): Promise<LibraryPackageImportType> {
    try {
      return await idempotentMutation(this.#database, context, {
        field: "importLibraryPackage",
        arguments: { input },
        prepare: () => this.#read(context, input),
        commit: (transaction, libraryPackage) => write(transaction, libraryPackage),
      });
    } catch (error) {
      throw writingFailure(error);
    }
  }

  async #read(context: RequestContext, { sourceRef, libraryId }: ImportLibraryPackageInput): Promise<LibraryPackage> {
    const library = libraryId == null ? undefined : await this.#libraries.get(context, libraryId);
    const libraryPackage = await this.#packages.read(tenantOf(context), sourceRef, context.trace);
    if (library !== undefined && library.packageName.toLowerCase() !== libraryPackage.packageName.toLowerCase()) {
      const detail = `The package ${libraryPackage.packageName} cannot be imported into the library ${library.packageName}. Use the libraryId of its own library, or leave libraryId out.`;
      throw inputProblem("LIBRARY_PACKAGE_INVALID", { pointer: "/libraryId", code: "FORMAT", detail });
    }
    return libraryPackage;
  }
}

async function write(transaction: Transaction, libraryPackage: LibraryPackage): Promise<LibraryPackageImportType> {
  const { em, tenant, execute } = transaction;
  const { tenantId } = tenant;
  const { packageName, authors, title, description, tags, targetFrameworks, dependencies, dependencyGroups } =
    libraryPackage;
  const packageKey = packageName.toLowerCase();
  // when a new library's versions are imported at the same time, the first transaction registers the library
  await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
    advisoryLocks.packageImport,
    `${tenantId} ${packageKey}`,
  ]);
  const existingLibrary = await em.findOne(Library, { tenantId, packageKey });
  const library =
    existingLibrary ?? (await writeLibrary(transaction, { packageName, owner: authors, title, description, tags }));
  if (existingLibrary) em.assign(existingLibrary, { title, description, searchStale: true });
  const earlier = existingLibrary ? await em.find(LibraryVersion, { tenantId, libraryId: library.libraryId }) : [];
  const problems = new InputProblems("LIBRARIES_INVALID");
  const facts = { semanticVersion: libraryPackage.version, targetFrameworks, dependencies, dependencyGroups };
  const checkedVersion = checkVersion(facts, "", problems);
  problems.refuse("The package cannot be registered. See errors for each value that is not valid.");
  if (earlier.some(({ versionKey }) => versionKey === checkedVersion.versionKey))
    throw new DomainError("LIBRARY_VERSION_EXISTS", {
      detail: `${packageName} ${libraryPackage.version} is already registered in this tenant.`,
    });
  const version = writeVersion(transaction, library, {
    ...checkedVersion,
    resolvedRef: libraryPackage.resolvedRef,
    license: libraryPackage.license,
  });
  await (existingLibrary ? indexVersions(transaction, library.libraryId) : indexLibrary(transaction, library));
  return {
    library: libraryRecordView(library, [...earlier, version]),
    version: libraryVersionView(version),
    warnings: libraryPackage.warnings,
  };
}
