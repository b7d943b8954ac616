import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { SearchBacklog } from "./search-backlog.entity.js";
import { SearchBacklogRunner } from "./search-backlog.runner.js";
import { SearchEntry } from "./search-entry.entity.js";
import { SearchFramework } from "./search-framework.entity.js";
import { SearchPosting } from "./search-posting.entity.js";
import { SearchWord } from "./search-word.entity.js";

/** The tables that the search reads, and the runner that fills them. */
export const searchIndex: SliceModule = {
  slice: "search-index",
  entities: [SearchEntry, SearchPosting, SearchBacklog, SearchWord, SearchFramework],
  foreignKeys: {
    "search_entries.entry_id": {
      to: null,
      why: "The id of a library or of an API client. The row is rebuilt from them.",
    },
    "search_postings.entry_id": {
      to: null,
      why: "The rows are rebuilt from their entry. A library has some dozens of them.",
    },
  },
  start({ database, connections, logger, onStarted, onStop }) {
    const backlog = new SearchBacklogRunner({ database, workerUrl: connections.worker, logger });
    onStarted(() => void backlog.start());
    onStop(() => backlog.stop());
  },
};
