import { deliveryOperation } from "../routes/delivery.routes.js";
import { areas, routeTables } from "../routes/route-tables.js";
import { loadOperation } from "./load-operation.js";

/** A document that the facade runs for a route, with its one operation's name. */
interface StoredDocument {
  readonly text: string;
  readonly operationName: string;
}

/** All routes' documents, each one once. */
export function storedDocuments(): StoredDocument[] {
  const rows = areas.flatMap((area) => routeTables[area].map(({ run }) => ({ area, run })));
  const operations = [...rows, deliveryOperation].map(({ area, run }) => loadOperation(area, run));
  return [...new Map(operations.map(({ text, name }) => [text, { text, operationName: name }])).values()];
}
