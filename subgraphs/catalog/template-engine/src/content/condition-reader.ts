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

// a longer text is not a condition
const maxConditionBytes = 16 * 1024;
const maxShownLength = 80;
const maxMemoized = 500;

/** Evaluates the conditions in `#if` directives and Condition attributes in files. */
export class ConditionReader implements Evaluators {
  /** The current file's path, for warnings. */
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

  /** Makes the evaluator for directives; `format` is how symbols are written, for example `$({0})`. */
  at(name: EvaluatorName, format = "{0}"): EvaluateAt {
    const key = `${name} ${format}`;
    return (source, position) => {
      let evaluate = this.#known.get(key);
      if (evaluate === undefined) {
        const evaluator = evaluatorFor(name, this.#variables, (symbol) => format.replaceAll("{0}", () => symbol));
        evaluate = memoize(evaluator);
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
      this.#report.warn("ConditionUnparseable", `${this.path}: "${shortened(text)}" is treated as ${value}: ${fault}.`);
    }
    return { value, end: position + (valid ? Buffer.byteLength(text.slice(0, length), "utf8") : length) };
  }
}

/** Memoizes the outcomes, since the same conditions occur in many template files. */
function memoize(evaluate: Evaluate): Evaluate {
  const outcomes = new Map<string, ReturnType<Evaluate>>();
  return (text) => {
    const earlier = outcomes.get(text);
    if (earlier !== undefined) return earlier;
    const outcome = evaluate(text);
    if (outcomes.size >= maxMemoized) outcomes.clear();
    outcomes.set(text, outcome);
    return outcome;
  };
}

function shortened(text: string): string {
  const content = text.trim();
  return content.length > maxShownLength ? `${content.slice(0, maxShownLength)}…` : content;
}
