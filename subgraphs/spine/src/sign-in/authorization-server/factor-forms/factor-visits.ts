import type { FactorKindName, FactorVisit } from "../../second-factors/kinds/factor-kind.js";
import type { KeptValues } from "./kept-values.js";

const visitSeconds = 600;

/** The form of a factor: `uid` is the id of the interaction or of the session of this browser. */
interface VisitedForm {
  readonly uid: string;
  readonly userId: string;
  readonly kind: FactorKindName;
  readonly purpose: "prove" | "add";
}

/** The storage of the kind of a factor for one form, one browser and one person. */
export function factorVisit(values: KeptValues, { uid, userId, kind, purpose }: VisitedForm): FactorVisit {
  return visitNamed(values, [uid, userId, kind, purpose].join(" "));
}

/** As `factorVisit`, for the form of a sign-in whose person is not known yet. `uid` is the id of the interaction. */
export function identifyingVisit(values: KeptValues, { uid, kind }: Pick<VisitedForm, "uid" | "kind">): FactorVisit {
  return visitNamed(values, [uid, kind, "identify"].join(" "));
}

function visitNamed(values: KeptValues, key: string): FactorVisit {
  const name = { kind: "FactorVisit", key } as const;
  return {
    keep: (value) => values.keep(name, { value }, visitSeconds),
    take: async () => (await values.take<{ value: string }>(name))?.value,
  };
}
