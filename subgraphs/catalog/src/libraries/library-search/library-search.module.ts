import { foreignEntity } from "@factory/runtime/graphql/foreign-entity";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { LibrarySearchResolver } from "./library-search.resolver.js";
import { LibrarySearchService } from "./library-search.service.js";
import { SearchReader } from "./search-reader.js";

/** The search for libraries and API clients. */
export const librarySearch: SliceModule = {
  slice: "library-search",
  start({ connections, cursors, logger, onClose }, services) {
    const reader = services.add(new SearchReader(connections.app, logger));
    onClose(() => reader.close());
    services.add(new LibrarySearchService(reader, cursors));
  },
  resolvers: (get) => [new LibrarySearchResolver(get(LibrarySearchService))],
  types: [foreignEntity("VendorApiClient", "apiClientId"), foreignEntity("Provider", "providerId")],
  links: {
    "LibrarySearchResult.apiClientId": { to: "VendorApiClient" },
    "LibrarySearchResult.providerId": { to: "Provider" },
    "LibrarySearchResult.libraryId": { to: "Library" },
  },
};
