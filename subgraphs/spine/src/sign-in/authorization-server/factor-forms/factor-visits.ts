import type { FactorKindName, FactorVisit } from "../../second-factors/kinds/factor-kind.js";
import type { KeptValues } from "./kept-values.js";

const visitSeconds = 600;

/** A factor's form: `uid` is the ID for the interaction, or for this browser's session. */
interface VisitedForm {
  readonly uid: string;
  readonly userId: string;
  readonly kind: FactorKindName;
  readonly purpose: "prove" | "add";
}

/** The factor kind's storage for one form, one browser and one person. */
export function factorVisit(values: KeptValues, { uid, userId, kind, purpose }: VisitedForm): FactorVisit {
  return visitNamed(values, [uid, userId, kind, purpose].join(" "));
}

/** As `factorVisit`, for a sign-in form whose person is not known yet. `uid` is the interaction's ID. */
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
