import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { LibraryService } from "../../libraries/libraries/library.service.js";
import { SearchReader } from "../../libraries/library-search/search-reader.js";
import { TemplateService } from "../templates/template.service.js";
import { CatalogDocument } from "./catalog-document.entity.js";
import { CatalogIndex } from "./catalog-index.js";
import { CatalogSearchResolver } from "./catalog-search.resolver.js";
import { CatalogSearchService } from "./catalog-search.service.js";
import { CatalogTerm } from "./catalog-term.entity.js";

/** The search for templates and libraries by the words in their texts. */
export const catalogSearch: SliceModule = {
  slice: "catalog-search",
  entities: [CatalogDocument, CatalogTerm],
  foreignKeys: {
    "catalog_documents.document_id": { to: null, why: "The id of a template or library. The row is rebuilt from it." },
    "catalog_terms.document_id": { to: null, why: "The rows are rebuilt with their document." },
  },
  start({ database, cursors, logger }, services) {
    const index = new CatalogIndex({ database, logger });
    services.add(new CatalogSearchService(index, services.get(SearchReader), cursors));
  },
  links: {
    "CatalogSearchResult.itemId": { to: null, why: "The fields template and library hold the object." },
  },
  resolvers: (get) => [new CatalogSearchResolver(get(CatalogSearchService), get(TemplateService), get(LibraryService))],
};
