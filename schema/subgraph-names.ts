/** The subgraphs of the platform. Each has a database schema of the same name. */
export const subgraphNames = ["catalog", "integration", "spine"] as const;

/** The name of a subgraph and of its database schema. */
export type SubgraphName = (typeof subgraphNames)[number];
