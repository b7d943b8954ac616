/** A feature that is on or off. */
interface BooleanFeature {
  readonly kind: "boolean";
  readonly enabled: boolean;
}

/** At most so many things may exist at a time. */
export interface LimitFeature {
  readonly kind: "limit";
  /** Null: unlimited. */
  readonly limit: number | null;
}

/** At most so many uses in a period, which begins anew with each calendar month or day in UTC. */
export interface MeteredFeature {
  readonly kind: "metered";
  /** Null: unlimited. */
  readonly limit: number | null;
  readonly period: MeteredPeriod;
  /** A soft limit may be exceeded; the excess is only reported. */
  readonly soft: boolean;
}

/** A value that the product reads. */
interface ConfigFeature {
  readonly kind: "config";
  readonly value: unknown;
}

const meteredPeriods = ["month", "day"] as const;
export type MeteredPeriod = (typeof meteredPeriods)[number];

/** One feature in an edition. */
export type EditionFeature = BooleanFeature | LimitFeature | MeteredFeature | ConfigFeature;

/** An edition's features by key. */
export type EditionFeatures = Readonly<Record<string, EditionFeature>>;

/** A broken rule. `pointer` is an RFC 6901 JSON pointer into the features. */
interface FeatureProblem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The features that the platform enforces on its own tenants, each with the kind that it must have. */
export const platformFeatures = {
  "executions.monthly": "metered",
  "users.max": "limit",
  "webhooks.max": "limit",
} as const satisfies Readonly<Record<string, EditionFeature["kind"]>>;

const maxFeatures = 100;
const maxLimit = 1_000_000_000_000;
const maxConfigLength = 4096;
/** Bounds the tenants' snapshots, each of which contains its edition's features. */
const maxTotalLength = 16_384;
const maxProblems = 20;
const keyForm = /^[A-Za-z][A-Za-z0-9._-]{0,99}$/;

type Json = Readonly<Record<string, unknown>>;
type MemberCheck = (value: unknown) => Omit<FeatureProblem, "pointer"> | undefined;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const requiredProblem = { code: "REQUIRED", detail: "This member is required." };
const notBoolean: MemberCheck = (value) =>
  typeof value === "boolean" ? undefined : { code: "TYPE", detail: "Must be of type boolean." };

const notLimit: MemberCheck = (value) => {
  if (value === null) return undefined;
  if (!Number.isInteger(value)) return { code: "TYPE", detail: "Must be an integer, or null for unlimited." };
  const limit = Number(value);
  if (limit >= 0 && limit <= maxLimit) return undefined;
  return { code: "OUT_OF_RANGE", detail: `Must be from 0 to ${maxLimit}, or null for unlimited.` };
};

const notPeriod: MemberCheck = (value) =>
  meteredPeriods.some((period) => period === value)
    ? undefined
    : { code: "UNKNOWN_VALUE", detail: `Must be one of ${meteredPeriods.join(", ")}.` };

const notConfig: MemberCheck = (value) =>
  JSON.stringify(value).length <= maxConfigLength
    ? undefined
    : { code: "TOO_LONG", detail: `Must have at most ${maxConfigLength} characters as JSON.` };

const members: Readonly<Record<EditionFeature["kind"], Readonly<Record<string, MemberCheck>>>> = {
  boolean: { enabled: notBoolean },
  limit: { limit: notLimit },
  metered: { limit: notLimit, period: notPeriod, soft: notBoolean },
  config: { value: notConfig },
};
const kinds = Object.keys(members);

/** Every broken rule in an edition's features; at most 20. An empty list means that they are `EditionFeatures`. */
export function featureProblems(features: Json): FeatureProblem[] {
  const keys = Object.keys(features);
  if (keys.length > maxFeatures)
    return [{ pointer: "", code: "TOO_LONG", detail: `An edition has at most ${maxFeatures} features.` }];
  const problems = keys.flatMap((key) => problemsOf(key, features[key])).slice(0, maxProblems);
  if (problems.length > 0 || JSON.stringify(features).length <= maxTotalLength) return problems;
  return [{ pointer: "", code: "TOO_LONG", detail: `Must have at most ${maxTotalLength} characters as JSON.` }];
}

function problemsOf(key: string, feature: unknown): FeatureProblem[] {
  const pointer = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (!keyForm.test(key))
    return [
      {
        pointer,
        code: "FORMAT",
        detail: "The key of a feature is a letter, then at most 99 letters, digits, dots, hyphens and underscores.",
      },
    ];
  if (!isObject(feature)) return [{ pointer, code: "TYPE", detail: "Must be of type object." }];
  const possibleKinds = allowedKinds(key);
  const kind = feature["kind"];
  if (typeof kind !== "string" || !possibleKinds.includes(kind))
    return [
      { pointer: `${pointer}/kind`, code: "UNKNOWN_VALUE", detail: `Must be one of ${possibleKinds.join(", ")}.` },
    ];
  const checks = members[kind as EditionFeature["kind"]];
  const unknown = Object.keys(feature).filter((name) => name !== "kind" && !Object.hasOwn(checks, name));
  return [
    ...Object.entries(checks).flatMap(([name, check]) => {
      const problem = Object.hasOwn(feature, name) ? check(feature[name]) : requiredProblem;
      return problem ? [{ pointer: `${pointer}/${name}`, ...problem }] : [];
    }),
    ...unknown.map((name) => ({
      pointer: `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      code: "UNKNOWN_VALUE",
      detail: `A feature of kind ${kind} has the members ${["kind", ...Object.keys(checks)].join(", ")}.`,
    })),
  ];
}

const allowedKinds = (key: string): readonly string[] =>
  Object.hasOwn(platformFeatures, key) ? [platformFeatures[key as keyof typeof platformFeatures]] : kinds;
