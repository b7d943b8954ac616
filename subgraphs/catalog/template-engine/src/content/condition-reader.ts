import {
  attributeEvaluator,
  type Evaluate,
  type EvaluatorName,
  evaluatorFor,
} from "../conditions/evaluate-condition.js";
import type { Variables } from "../conditions/symbol-value.js";
import type { RenderReport } from "../findings/render-report.js";
import { asBuffer } from "../text/encodings.js";
import { afterLineEnd } from "./byte-sink.js";
import type { Evaluators } from "./comment-styles.js";
import type { EvaluateAt } from "./if-directive.js";

// a condition longer than this is no condition
const maxConditionBytes = 16 * 1024;
const maxShownLength = 80;
const maxMemoized = 500;

/** Decides conditions where they stand in a file. */
export class ConditionReader implements Evaluators {
  /** The file that is being read, for warnings. */
  path = "";
  readonly #known = new Map<string, Evaluate>();
  readonly #ofAttribute: Evaluate;
  readonly #variables: Variables;
  readonly #report: RenderReport;

  constructor(variables: Variables, report: RenderReport) {
    this.#variables = variables;
    this.#report = report;
    this.#ofAttribute = attributeEvaluator(variables);
  }

  /** With `format`, symbols are written like `$({0})`. */
  at(name: EvaluatorName, format = "{0}"): EvaluateAt {
    const key = `${name} ${format}`;
    return (source, position) => {
      let evaluate = this.#known.get(key);
      if (evaluate === undefined) {
        const spelled = evaluatorFor(name, this.#variables, (symbol) => format.replaceAll("{0}", () => symbol));
        evaluate = memoize(spelled);
        this.#known.set(key, evaluate);
      }
      return this.#decide(evaluate, source, position);
    };
  }

  attribute = (condition: string): boolean | undefined => {
    const { value, fault } = this.#ofAttribute(condition);
    return fault === null ? value : undefined;
  };

  #decide(evaluate: Evaluate, source: Uint8Array, position: number): { value: boolean; end: number } {
    const window = source.subarray(position, position + maxConditionBytes);
    const line = asBuffer(window.subarray(0, afterLineEnd(window, 0)));
    const text = line.toString("utf8");
    const valid = !text.includes("\ufffd");
    const { value, length, fault } = evaluate(valid ? text : line.toString("latin1"));
    if (fault !== null) {
      this.#report.warn("ConditionUnparseable", `${this.path}: "${shortened(text)}" is read as ${value}: ${fault}.`);
    }
    return { value, end: position + (valid ? Buffer.byteLength(text.slice(0, length), "utf8") : length) };
  }
}

/** The same conditions stand in many files of a template. */
function memoize(evaluate: Evaluate): Evaluate {
  const outcomes = new Map<string, ReturnType<Evaluate>>();
  return (text) => {
    const known = outcomes.get(text);
    if (known !== undefined) return known;
    const outcome = evaluate(text);
    if (outcomes.size >= maxMemoized) outcomes.clear();
    outcomes.set(text, outcome);
    return outcome;
  };
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > maxShownLength ? `${trimmed.slice(0, maxShownLength)}…` : trimmed;
}
