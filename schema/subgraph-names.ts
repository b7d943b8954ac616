/** The platform's subgraphs. Each has a database schema with the same name. */
export const subgraphNames = ["catalog", "integration", "spine"] as const;

/** The name that a subgraph and its database schema have. */
export type SubgraphName = (typeof subgraphNames)[number];
