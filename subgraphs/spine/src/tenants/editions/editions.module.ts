import { platformKeyIn } from "@factory/runtime/identifiers/key-id";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { Edition } from "./edition.entity.js";
import { EditionResolver } from "./edition.resolver.js";
import { EditionService } from "./edition.service.js";
import { EditionCatalog } from "./edition-catalog.js";
import { EditionVersion } from "./edition-version.entity.js";
import { seedEditions } from "./seed-editions.js";

/** The plans that tenants can subscribe to, and their features. */
export const editions: SliceModule = {
  slice: "editions",
  entities: [Edition, EditionVersion],
  events: ["EditionUpdated"],
  async start({ database, workers, listener, cursors, logger, onStop }, services) {
    await seedEditions(workers);
    const catalog = services.add(new EditionCatalog(workers, listener, logger));
    await catalog.start();
    onStop(() => catalog.stop());
    services.add(new EditionService(database, cursors, catalog));
  },
  resolvers: (get) => [new EditionResolver(get(EditionService))],
  references(get) {
    const service = get(EditionService);
    return {
      Edition: {
        id: { prefix: "edn", field: "code", keyIn: (id) => platformKeyIn("edn", id) },
        auth: { scopes: ["subscription.read", "tenant.read"] },
        resolve: ({ code = "" }) => service.get(code),
      },
    };
  },
};
