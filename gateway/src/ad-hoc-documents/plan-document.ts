import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, specifiedRules, validate } from "graphql";
import { documentLimits, validationAborted } from "../limits/document-limits.js";
import { askedOperation } from "../query-planner/asked-operation.js";
import type { OperationPlanner } from "../query-planner/operation-planner.js";
import type { PlanningAnswer, PlanningProblem, PlanningRequest, PlanningSetup } from "./planning-request.js";

type Unmeasured<Answer> = Answer extends unknown ? Omit<Answer, "cpuMs"> : never;

export type DocumentAnswer = Unmeasured<PlanningAnswer>;

const tooComplex = (message: string): DocumentAnswer => ({
  kind: "refused",
  problems: [{ message, positions: undefined, extensions: { code: "TOO_COMPLEX" } }],
});

const repetitive = "The document selects the same fields too many times. Select each field once.";

const bytesOf = (plan: unknown) => Buffer.byteLength(JSON.stringify(plan));

/** Validates and plans an unknown document. The time has no proven upper limit, so this runs in a worker thread. */
export function planDocument(
  planner: OperationPlanner,
  { text, operationName }: PlanningRequest,
  { introspection, maxPlanBytes }: Pick<PlanningSetup, "introspection" | "maxPlanBytes">,
): DocumentAnswer {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  try {
    const document = parse(text, { maxTokens: documentLimits.maxTokens });
    const errors = validate(planner.apiSchema, document, rules);
    if (errors.some(({ message }) => message === validationAborted)) return tooComplex(repetitive);
    if (errors.length > 0) return { kind: "refused", problems: errors.map(problemOf) };
    const plans = planner.allPlans(askedOperation(planner, document, operationName));
    const sizes = [plans.general, ...Object.values(plans.specialised)].map(bytesOf);
    const largest = Math.max(...sizes);
    if (largest > maxPlanBytes)
      return tooComplex(
        `The plan of the document has ${largest} bytes, and at most ${maxPlanBytes} bytes are allowed. Send a shorter document.`,
      );
    return { kind: "planned", plans, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  } catch (error) {
    if (error instanceof GraphQLError) return { kind: "refused", problems: [problemOf(error)] };
    // A RangeError is a stack overflow. Validation and planning are recursive, and only the stack limits their depth.
    if (error instanceof RangeError)
      return tooComplex("The document is nested too deeply to be planned. Use fewer levels.");
    return { kind: "broken", message: error instanceof Error ? error.message : String(error) };
  }
}

function problemOf({ message, positions, extensions }: GraphQLError): PlanningProblem {
  return { message, positions, extensions: JSON.parse(JSON.stringify(extensions)) };
}
