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

/** Registers versions from the metadata of their packages. */
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
        commit: (transaction, found) => write(transaction, found),
      });
    } catch (error) {
      throw writingFailure(error);
    }
  }

  async #read(context: RequestContext, { sourceRef, libraryId }: ImportLibraryPackageInput): Promise<LibraryPackage> {
    const library = libraryId == null ? undefined : await this.#libraries.get(context, libraryId);
    const found = await this.#packages.read(tenantOf(context), sourceRef, context.trace);
    if (library !== undefined && library.packageName.toLowerCase() !== found.packageName.toLowerCase()) {
      const detail = `The package ${found.packageName} cannot be imported into the library ${library.packageName}. Use the libraryId of its own library, or leave libraryId out.`;
      throw inputProblem("LIBRARY_PACKAGE_INVALID", { pointer: "/libraryId", code: "FORMAT", detail });
    }
    return found;
  }
}

async function write(transaction: Transaction, found: LibraryPackage): Promise<LibraryPackageImportType> {
  const { em, tenant, execute } = transaction;
  const { tenantId } = tenant;
  const { packageName, authors, title, description, tags, targetFrameworks, dependencies, dependencyGroups } = found;
  const packageKey = packageName.toLowerCase();
  // when versions of a new library are imported at the same time, the first transaction registers the library
  await execute("select pg_advisory_xact_lock($1, hashtext($2))", [
    advisoryLocks.packageImport,
    `${tenantId} ${packageKey}`,
  ]);
  const known = await em.findOne(Library, { tenantId, packageKey });
  const library = known ?? (await writeLibrary(transaction, { packageName, owner: authors, title, description, tags }));
  if (known) em.assign(known, { title, description, searchStale: true });
  const earlier = known ? await em.find(LibraryVersion, { tenantId, libraryId: library.libraryId }) : [];
  const problems = new InputProblems("LIBRARIES_INVALID");
  const facts = { semanticVersion: found.version, targetFrameworks, dependencies, dependencyGroups };
  const checked = checkVersion(facts, "", problems);
  problems.refuse("The package cannot be registered. See errors for each value that is not valid.");
  if (earlier.some(({ versionKey }) => versionKey === checked.versionKey))
    throw new DomainError("LIBRARY_VERSION_EXISTS", {
      detail: `${packageName} ${found.version} is already registered in this tenant.`,
    });
  const version = writeVersion(transaction, library, {
    ...checked,
    resolvedRef: found.resolvedRef,
    license: found.license,
  });
  await (known ? indexVersions(transaction, library.libraryId) : indexLibrary(transaction, library));
  return {
    library: libraryRecordView(library, [...earlier, version]),
    version: libraryVersionView(version),
    warnings: found.warnings,
  };
}
