/** A tenant's rate limits: each class has its own window, which REST, GraphQL and websocket share. */
export type RateClass = "read" | "write" | "execute" | "evaluate" | "invalid";

/** Root fields that start heavy work. */
const executingFields: ReadonlySet<string> = new Set([
  "requestExecution",
  "retryExecution",
  "previewExecution",
  "generateReport",
]);

/** The class for one root field in an operation, over REST and GraphQL alike. */
export function rateClassOf(operation: "query" | "mutation" | "subscription", rootField: string): RateClass {
  if (executingFields.has(rootField)) return "execute";
  return operation === "mutation" ? "write" : "read";
}
