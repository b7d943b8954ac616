import type { SubgraphName } from "@factory/schema/subgraph-names";
import { buildSubgraph, type Subgraph } from "../graphql/build-subgraph.js";
import type { EntityReference } from "../graphql/entity-reference.js";
import { jobResolver } from "../jobs/job.resolver.js";
import { JobService } from "../jobs/job.service.js";
import type { Logger } from "../telemetry/logger.js";
import type { GetService, Services } from "./service-registry.js";
import type { SliceModule } from "./slice-module.js";

interface SchemaParts {
  readonly name: SubgraphName;
  readonly modules: readonly SliceModule<never>[];
  readonly servicesOf: (slice: string) => Pick<Services, "get">;
  readonly logger: Logger;
  readonly printedSdl?: string | undefined;
}

/** The federated schema over all modules' resolvers, and over the jobs that every subgraph shows. */
export function moduleSchema({ name, modules, servicesOf, logger, printedSdl }: SchemaParts): Subgraph {
  const views = modules.map((module) => ({ module, get: servicesOf(module.slice).get }));
  return buildSubgraph({
    logger,
    printedSdl,
    resolvers: [
      jobResolver(name, servicesOf("jobs").get(JobService)),
      ...views.flatMap(({ module, get }) => module.resolvers?.(get) ?? []),
    ],
    types: modules.flatMap(({ types = [] }) => types),
    references: entityReferences({ modules, servicesOf }),
    links: Object.assign({}, ...modules.map(({ links }) => links)),
    formerNames: Object.assign({}, ...modules.map(({ formerNames }) => formerNames)),
  });
}

/** The entities that the modules resolve, by type name. */
export function entityReferences({
  modules,
  servicesOf,
}: Pick<SchemaParts, "modules" | "servicesOf">): Readonly<Record<string, EntityReference>> {
  return Object.assign({}, ...modules.map((module) => module.references?.(servicesOf(module.slice).get) ?? {}));
}

/** The SDL for a module list. Nothing is started: the resolvers get no services, and printing calls none. */
export function moduleSdl(name: SubgraphName, modules: readonly SliceModule<never>[]): string {
  const getNothing: GetService = () => undefined as never;
  return moduleSchema({ name, modules, servicesOf: () => ({ get: getNothing }), logger: undefined as never }).sdl;
}
