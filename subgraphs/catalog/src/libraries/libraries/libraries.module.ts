import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { LibraryPackageService } from "../library-packages/library-package.service.js";
import { Library } from "./library.entity.js";
import { LibraryResolver } from "./library.resolver.js";
import { LibraryService } from "./library.service.js";
import { LibraryImportService } from "./library-import.service.js";
import { LibraryListService } from "./library-list.service.js";
import { LibraryVersion } from "./library-version.entity.js";
import { LibraryVersionResolver } from "./library-version.resolver.js";
import { LibraryVersionService } from "./library-version.service.js";

/** Libraries, their versions and imports. */
export const libraries: SliceModule = {
  slice: "libraries",
  entities: [Library, LibraryVersion],
  foreignKeys: {
    "library_versions.library_id": {
      to: "libraries.library_id",
      onDelete: "no action",
      why: "A version belongs to its library and is reached only through it.",
    },
  },
  events: [
    "LibraryRegistered",
    "LibraryCapabilitiesChanged",
    "LibraryVersionRegistered",
    "LibraryVersionPublished",
    "LibraryVersionDeprecated",
    "LibraryVersionRetired",
  ],
  start({ database, cursors }, services) {
    const service = services.add(new LibraryService(database));
    const packages = new LibraryPackageService(services.get(TemplateSources));
    services.add(new LibraryImportService(database, service, packages));
    services.add(new LibraryVersionService(database));
    services.add(new LibraryListService(database, cursors));
  },
  resolvers: (get) => [
    new LibraryResolver(get(LibraryService), get(LibraryListService)),
    new LibraryVersionResolver(get(LibraryVersionService), get(LibraryImportService)),
  ],
  links: {
    "LibraryVersion.libraryId": { to: "Library" },
  },
  references(get) {
    const service = get(LibraryService);
    const versions = get(LibraryVersionService);
    return {
      LibraryVersion: {
        id: { prefix: "lbv", field: "libraryVersionId" },
        auth: { scopes: ["libraries.read"] },
        resolve: ({ libraryVersionId = "" }, context) => versions.find(tenantOf(context), libraryVersionId),
      },
      Library: {
        id: { prefix: "lib", field: "libraryId" },
        auth: { scopes: ["libraries.read"] },
        resolve: ({ libraryId, packageName }, context) =>
          libraryId === undefined
            ? service.findByPackage(tenantOf(context), packageName ?? "")
            : service.find(tenantOf(context), libraryId),
      },
    };
  },
};
