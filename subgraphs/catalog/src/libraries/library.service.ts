import type { Database } from "@factory/runtime/db/database";
import { violatedUnique } from "@factory/runtime/db/database-failure";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { mutate } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import { indexEntry, reindexVersions } from "../library-search/search-index.js";
import { Library } from "./library.entity.js";
import type { RegisterLibraryInput } from "./library.input.js";
import type { LibraryType } from "./library.type.js";
import { highestFirst, type LibraryRow, libraryView } from "./library.view.js";
import { checkNewLibrary } from "./library-registration.js";
import { LibraryVersion } from "./library-version.entity.js";

const columns = `library_id, package_name, area, owner, capabilities, tags, status, created_at,
     (select jsonb_agg(to_jsonb(version)) from library_versions version
      where version.tenant_id = library.tenant_id and version.library_id = library.library_id) as versions`;

const libraryById = tenantStatement(
  "library_by_id",
  `select ${columns} from libraries library where tenant_id = scope.tenant and library_id = $2`,
);

const librariesByPackage = tenantStatement(
  "libraries_by_package",
  `select ${columns} from libraries library where tenant_id = scope.tenant and package_key = any($2)`,
);

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
    const [row] = await this.byPackage(tenant, [packageName]);
    return row && libraryView(row);
  }

  async get(context: RequestContext, libraryId: string): Promise<LibraryType> {
    const library = await this.find(tenantOf(context), libraryId);
    if (!library) throw new DomainError("LIBRARY_NOT_FOUND", { detail: "No such library in this tenant." });
    return library;
  }

  /** By package name, ignoring case; one statement for all. */
  byPackage(tenant: Tenant, packageNames: readonly string[]): Promise<LibraryRow[]> {
    return this.#database.reader.rows<LibraryRow>(
      librariesByPackage,
      tenant,
      packageNames.map((name) => name.toLowerCase()),
    );
  }

  async register(context: RequestContext, input: RegisterLibraryInput): Promise<LibraryType> {
    const versions = checkNewLibrary(input);
    try {
      return await mutate(this.#database, context, {
        field: "registerLibrary",
        arguments: input,
        commit: async (transaction) => {
          const { em, tenant, record } = transaction;
          const capabilities = (input.capabilities ?? []).map(({ name, contract }) => ({
            name,
            contract: contract ?? null,
          }));
          const library = em.create(Library, {
            tenantId: tenant.tenantId,
            libraryId: newId("lib"),
            packageName: input.packageName,
            packageKey: input.packageName.toLowerCase(),
            area: input.area ?? null,
            owner: input.owner ?? null,
            capabilities,
            tags: [...new Set(input.tags ?? [])],
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
          const registered = versions.map((fields) => {
            const version = em.create(LibraryVersion, {
              ...fields,
              tenantId: tenant.tenantId,
              libraryVersionId: newId("lbv"),
              libraryId,
              status: "Published",
              createdAt: library.createdAt,
            });
            em.persist(version);
            const { libraryVersionId, semanticVersion, targetFrameworks } = version;
            record({
              type: "LibraryVersionRegistered",
              subject: `libraries/${libraryId}`,
              data: {
                libraryId,
                packageName,
                libraryVersionId,
                semanticVersion,
                targetFrameworks,
                status: "Published",
              },
            });
            return {
              libraryVersionId,
              semanticVersion,
              targetFramework: targetFrameworks[0] ?? null,
              targetFrameworks,
              status: version.status,
            };
          });
          await em.flush();
          const entryId = decodeId("lib", libraryId) ?? "";
          await indexEntry(transaction, {
            entryId,
            source: "Library",
            name: packageName,
            area,
            owner,
            tags,
            status,
            capabilities,
          });
          await reindexVersions(transaction, entryId);
          return {
            libraryId,
            packageName,
            area,
            owner,
            capabilities,
            tags,
            status,
            createdAt: library.createdAt.toISOString(),
            versions: registered.sort(highestFirst),
          };
        },
      });
    } catch (error) {
      if (violatedUnique(error) === "libraries_package")
        throw new DomainError("LIBRARY_EXISTS", { detail: `${input.packageName} is registered in this tenant.` });
      throw error;
    }
  }
}
