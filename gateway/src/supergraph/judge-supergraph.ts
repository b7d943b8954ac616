import { composeServices, validateSatisfiability } from "@apollo/composition";
import { Supergraph } from "@apollo/federation-internals";
import { parse } from "graphql";
import { missingInSubgraphs } from "./missing-in-subgraph.js";
import type { SupergraphCandidate, SupergraphCheck, SupergraphVerdict } from "./supergraph-check.js";

/** Composes a candidate and compares it with the connected subgraphs' SDL. This takes about a second. */
export function judgeSupergraph({ candidate, connected }: SupergraphCheck): SupergraphVerdict {
  try {
    const composition = composed(candidate);
    if (composition.problems) return composition;
    const problems = missingInSubgraphs(Supergraph.build(composition.supergraphSdl), connected);
    return problems.length > 0 ? { problems } : composition;
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function composed(candidate: SupergraphCandidate): SupergraphVerdict {
  if ("supergraphSdl" in candidate) {
    const { supergraphSdl } = candidate;
    const { errors = [] } = validateSatisfiability({ supergraphSdl });
    return errors.length > 0 ? { problems: errors.map(({ message }) => message) } : { supergraphSdl };
  }
  const services = Object.entries(candidate.subgraphSdls).map(([name, sdl]) => ({
    name,
    url: `http://${name}`,
    typeDefs: parse(sdl),
  }));
  const { errors, supergraphSdl } = composeServices(services);
  return errors ? { problems: errors.map(({ message }) => message) } : { supergraphSdl };
}
