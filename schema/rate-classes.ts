/** The rate limits of a tenant: each class has a window of its own, which REST, GraphQL and websocket share. */
export type RateClass = "read" | "write" | "execute" | "evaluate" | "invalid";

/** Root fields that start heavy work. */
const executingFields: ReadonlySet<string> = new Set([
  "requestExecution",
  "retryExecution",
  "previewExecution",
  "generateReport",
]);

/** The class of one root field of an operation, over REST and GraphQL alike. */
export function rateClassOf(operation: "query" | "mutation" | "subscription", rootField: string): RateClass {
  if (executingFields.has(rootField)) return "execute";
  return operation === "mutation" ? "write" : "read";
}
