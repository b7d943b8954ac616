import { isDeepStrictEqual } from "node:util";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ChangeLibraryCapabilitiesInput, RegisterLibraryInput } from "./library.input.js";
import type { LibraryType } from "./library.type.js";
import { type LibraryRow, libraryRecordView, libraryView } from "./library.view.js";
import { changedCapabilities } from "./library-capabilities.js";
import { libraryColumnsWith } from "./library-columns.js";
import { checkNewLibrary } from "./library-registration.js";
import { LibraryVersion } from "./library-version.entity.js";
import {
  indexLibrary,
  lockedLibrary,
  reindexCapabilities,
  writeLibrary,
  writeVersion,
  writingFailure,
} from "./library-writing.js";

const columns = libraryColumnsWith("true");

const libraryById = keyStatement(
  "library_by_id",
  `select ${columns} from libraries library where tenant_id = scope.tenant and library_id = $2`,
);

const libraryByPackage = keyStatement(
  "library_by_package",
  `select ${columns} from libraries library where tenant_id = scope.tenant and package_key = $2`,
  "text",
);

/** Registers libraries and reads them by id or by package name. */
export class LibraryService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(tenant: Tenant, libraryId: string): Promise<LibraryType | undefined> {
    const uuid = decodeId("lib", libraryId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<LibraryRow>(libraryById, tenant, uuid);
    return row && libraryView(row);
  }

  async findByPackage(tenant: Tenant, packageName: string): Promise<LibraryType | undefined> {
    const row = await this.#database.reader.row<LibraryRow>(libraryByPackage, tenant, packageName.toLowerCase());
    return row && libraryView(row);
  }

  async get(context: RequestContext, libraryId: string): Promise<LibraryType> {
    const library = await this.find(tenantOf(context), libraryId);
    if (!library) throw new DomainError("LIBRARY_NOT_FOUND", { detail: `This tenant has no library ${libraryId}.` });
    return library;
  }

  async register(context: RequestContext, input: RegisterLibraryInput): Promise<LibraryType> {
    const versions = checkNewLibrary(input);
    try {
      return await idempotentMutation(this.#database, context, {
        field: "registerLibrary",
        arguments: input,
        commit: async (transaction) => {
          const library = await writeLibrary(transaction, input);
          const newVersions = versions.map((version) => writeVersion(transaction, library, version));
          await indexLibrary(transaction, library);
          return libraryRecordView(library, newVersions);
        },
      });
    } catch (error) {
      throw writingFailure(error, input.packageName);
    }
  }

  /** Throws LIBRARY_NOT_FOUND and LIBRARIES_INVALID. */
  changeCapabilities(
    context: RequestContext,
    libraryId: string,
    input: ChangeLibraryCapabilitiesInput,
  ): Promise<LibraryType> {
    return idempotentMutation(this.#database, context, {
      field: "changeLibraryCapabilities",
      arguments: { libraryId, input },
      commit: async (transaction) => {
        const { em, tenant, record } = transaction;
        const library = await lockedLibrary(transaction, libraryId);
        const before = library.capabilities;
        const capabilities = changedCapabilities(before, input);
        if (!isDeepStrictEqual(capabilities, before)) {
          em.assign(library, { capabilities, searchStale: true });
          const { packageName } = library;
          record({
            type: "LibraryCapabilitiesChanged",
            subject: `libraries/${libraryId}`,
            data: { libraryId, packageName, capabilities },
          });
          await reindexCapabilities(transaction, library, before);
        }
        return libraryRecordView(library, await em.find(LibraryVersion, { tenantId: tenant.tenantId, libraryId }));
      },
    });
  }
}
