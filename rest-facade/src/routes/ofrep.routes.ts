// biome-ignore-all format: one row per endpoint, aligned
import type { RateClass } from "@factory/schema/rate-classes";
import type { PlainRoute } from "./route.js";

interface OfrepRoute extends PlainRoute { readonly rate: RateClass }

/** The event streams' address. It is ours: OFREP clients take it from `eventStreams`. */
export const streamPath = "/ofrep/v1/streams";

/** OpenFeature Remote Evaluation Protocol. */
export const ofrepRoutes = {
  evaluate:    { at: "POST /ofrep/v1/evaluate/flags/{key}", scopes: ["config.read", "flag.evaluate"], rate: "evaluate" },
  evaluateAll: { at: "POST /ofrep/v1/evaluate/flags",       scopes: ["config.read", "flag.evaluate"], rate: "evaluate" },
  stream:      { at: `GET ${streamPath}`,                   scopes: ["config.read", "flag.evaluate"], rate: "evaluate" },
} as const satisfies Record<string, OfrepRoute>;
