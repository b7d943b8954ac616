import { DomainError } from "@factory/runtime/errors/domain-error";
import { isStorable } from "@factory/runtime/input-validation/storable-text";

/** A check for one feature as a caller sends it. */
export interface CheckOrder {
  readonly featureKey: string;
  readonly requestedUsage?: number | undefined;
  readonly subjectId: string;
  readonly consume: boolean;
  /** Empty: none. */
  readonly idempotencyKey: string;
}

/** A check whose arguments are within their limits. */
export interface CheckedOrder {
  readonly featureKey: string;
  readonly amount: number;
  readonly subjectId: string;
  readonly consume: boolean;
  readonly idempotencyKey: string | undefined;
}

const maxAmount = 1_000_000_000;
const maxFeatureKeyLength = 100;
const maxSubjectLength = 255;
const keyForm = /^[\x21-\x7e]{1,255}$/;

/** Throws VALIDATION_FAILED with every wrong argument. `pointer` is the order's place in the request. */
export function checkedOrder(order: CheckOrder, pointer = ""): CheckedOrder {
  const { featureKey, requestedUsage: amount = 1, subjectId, consume, idempotencyKey } = order;
  const key = idempotencyKey === "" ? undefined : idempotencyKey;
  const isSound =
    isFeatureKey(featureKey) && isAmount(amount) && isSubject(subjectId) && (key === undefined || keyForm.test(key));
  if (isSound) return { featureKey, amount, subjectId, consume, idempotencyKey: key };
  throw new DomainError("VALIDATION_FAILED", {
    detail: "An argument is out of its limits. See errors.",
    errors: problemsOf(order).map(([name, code, detail]) => ({ pointer: `${pointer}/${name}`, code, detail })),
  });
}

const isFeatureKey = (key: string) => key.length >= 1 && key.length <= maxFeatureKeyLength;
const isAmount = (amount: number) => Number.isInteger(amount) && amount >= 1 && amount <= maxAmount;
const isSubject = (subject: string) => subject.length <= maxSubjectLength && isStorable(subject);

type Problem = readonly [name: string, code: string, detail: string];

function problemsOf({ featureKey, requestedUsage = 1, subjectId, idempotencyKey }: CheckOrder): Problem[] {
  const problems: (Problem | false)[] = [
    !isFeatureKey(featureKey) && ["featureKey", "FORMAT", `Must have 1 to ${maxFeatureKeyLength} characters.`],
    !isAmount(requestedUsage) && ["requestedUsage", "OUT_OF_RANGE", `Must be from 1 to ${maxAmount}.`],
    !isSubject(subjectId) && ["subjectId", "FORMAT", `Must have at most ${maxSubjectLength} storable characters.`],
    idempotencyKey !== "" &&
      !keyForm.test(idempotencyKey) && [
        "idempotencyKey",
        "FORMAT",
        "Must be 1 to 255 printable ASCII characters without spaces.",
      ],
  ];
  return problems.filter((problem) => problem !== false);
}
