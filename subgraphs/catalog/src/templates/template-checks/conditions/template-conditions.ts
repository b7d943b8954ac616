import { type EvaluatorName, evaluatorNamed } from "@factory/template-engine/evaluate-condition";
import type { JsonObject } from "@factory/template-engine/json-value";
import { objectsMember, textMember } from "@factory/template-engine/jsonc";
import type { TemplateConfig, TemplateSymbol } from "@factory/template-engine/template-config";
import type { ConfigPlace, ConfigPlaces } from "../findings/config-place.js";

interface TemplateCondition extends ConfigPlace {
  text: string;
  evaluator: EvaluatorName;
}

type Segment = string | number;

/** All conditions in template.json, each with its evaluator and its place. */
export function templateConditions(config: TemplateConfig, places: ConfigPlaces): TemplateCondition[] {
  const conditions: TemplateCondition[] = [];
  const add = (text: string | boolean | null, segments: Segment[], evaluator: string | null = null) => {
    if (typeof text !== "string" || text.trim() === "") return;
    conditions.push({ text, evaluator: evaluatorNamed(evaluator, "C++2") ?? "C++2", ...places.at(...segments) });
  };
  for (const symbol of config.symbols.values()) addSymbol(symbol, add);
  config.sources.forEach(({ condition, modifiers }, index) => {
    add(condition, ["sources", index, "condition"]);
    modifiers.forEach((modifier, number) =>
      add(modifier.condition, ["sources", index, "modifiers", number, "condition"]),
    );
  });
  config.primaryOutputs.forEach(({ condition }, index) => add(condition, ["primaryOutputs", index, "condition"]));
  config.postActions.forEach(({ condition, manualInstructions }, index) => {
    add(condition, ["postActions", index, "condition"]);
    manualInstructions.forEach((instruction, number) =>
      add(instruction.condition, ["postActions", index, "manualInstructions", number, "condition"]),
    );
  });
  for (const [glob, operations] of config.specialCustomOperations)
    addOperations(operations, ["specialCustomOperations", glob], add);
  if (config.globalCustomOperations) addOperations(config.globalCustomOperations, ["globalCustomOperations"], add);
  return conditions;
}

type Add = (text: string | boolean | null, segments: Segment[], evaluator?: string | null) => void;

function addSymbol(symbol: TemplateSymbol, add: Add): void {
  const { name } = symbol;
  switch (symbol.type) {
    case "computed":
      return add(symbol.value, ["symbols", name, "value"], symbol.evaluator);
    case "parameter":
      add(symbol.isEnabled, ["symbols", name, "isEnabled"]);
      return add(symbol.isRequired, ["symbols", name, "isRequired"]);
    case "generated": {
      const { generator, parameters } = symbol;
      const evaluator = textMember(parameters, "evaluator");
      const at = (...more: Segment[]) => ["symbols", name, "parameters", ...more];
      if (generator.toLowerCase() === "evaluate") add(textMember(parameters, "action"), at("action"), evaluator);
      if (generator.toLowerCase() !== "switch") return;
      objectsMember(parameters, "cases").forEach((entry, index) =>
        add(textMember(entry, "condition"), at("cases", index, "condition"), evaluator),
      );
      return;
    }
    case "derived":
    case "bind":
      return;
  }
}

function addOperations(operations: JsonObject, segments: Segment[], add: Add): void {
  add(textMember(operations, "condition"), [...segments, "condition"]);
  objectsMember(operations, "operations").forEach((operation, index) =>
    add(textMember(operation, "condition"), [...segments, "operations", index, "condition"]),
  );
}
