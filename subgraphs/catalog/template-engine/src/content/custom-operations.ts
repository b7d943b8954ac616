import { decideCondition, type EvaluatorName, evaluatorNamed } from "../conditions/evaluate-condition.js";
import type { Variables } from "../conditions/symbol-value.js";
import type { RenderReport } from "../findings/render-report.js";
import type { JsonObject } from "../json/json-value.js";
import {
  booleanMember,
  booleanOf,
  member,
  objectMember,
  objectsMember,
  textMember,
  textsMember,
} from "../json/jsonc.js";
import { BalancedNesting } from "./balanced-nesting.js";
import { token } from "./byte-trie.js";
import { blockComments, type Evaluators, type Keywords, lineComments, standardKeywords } from "./comment-styles.js";
import { type EvaluateAt, IfDirective } from "./if-directive.js";
import { IncludeFile, type ReadTemplateFile } from "./include-file.js";
import { Region } from "./region.js";
import { Replacement } from "./replacement.js";
import { SetFlag } from "./set-flag.js";
import type { Operation } from "./text-run.js";

interface CustomContext {
  evaluators: Evaluators;
  variables: Variables;
  report: RenderReport;
  read: ReadTemplateFile;
}

/** Makes the operations that a template defines for a group of files. */
export function customOperations(raw: JsonObject | null, context: CustomContext): Operation[] {
  if (raw === null) return [];
  return objectsMember(raw, "operations").flatMap((entry) => {
    if (!decideCondition(textMember(entry, "condition"), context.variables, context.report)) return [];
    return build(textMember(entry, "type") ?? "", objectMember(entry, "configuration") ?? {}, context);
  });
}

function build(type: string, raw: JsonObject, context: CustomContext): Operation[] {
  switch (type.toLowerCase()) {
    case "replacement":
      return replacements(raw);
    case "conditional":
      return conditionals(raw, context);
    case "balancednesting":
      return [
        new BalancedNesting(
          {
            start: text(raw, "startToken"),
            realEnd: text(raw, "realEndToken"),
            pseudoEnd: text(raw, "pseudoEndToken"),
          },
          idOf(raw),
          text(raw, "resetFlag"),
          startsOn(raw),
        ),
      ];
    case "flag":
    case "flags":
      return [flag(raw)];
    case "region":
      return [
        new Region({
          start: text(raw, "start"),
          end: text(raw, "end"),
          include: booleanMember(raw, "include"),
          wholeLine: booleanMember(raw, "wholeLine"),
          trim: booleanMember(raw, "trim"),
          id: idOf(raw),
          startsOn: startsOn(raw),
        }),
      ];
    case "include":
      return [
        new IncludeFile({ start: text(raw, "start"), end: text(raw, "end") }, context.read, idOf(raw), startsOn(raw)),
      ];
    default:
      context.report.warn("CustomOperationUnknown", `The custom operation "${type}" is not supported and is ignored.`);
      return [];
  }
}

function text(raw: JsonObject, name: string): string {
  return textMember(raw, name) ?? "";
}

function idOf(raw: JsonObject): string | null {
  return textMember(raw, "id") || null;
}

/** An operation without an id is always on; one with an id only when its configuration says so. */
function startsOn(raw: JsonObject): boolean {
  return idOf(raw) === null || booleanMember(raw, "onByDefault");
}

function replacements(raw: JsonObject): Operation[] {
  const { core } = token(text(raw, "original"));
  const bytes = Buffer.from(text(raw, "replacement"), "utf8");
  if (core.equals(bytes)) return [];
  const contexts = objectsMember(raw, "onlyIf").map((entry) => ({
    before: contextBytes(entry, "after"),
    after: contextBytes(entry, "before"),
  }));
  // with an empty context list the token matches nowhere
  const places = Array.isArray(member(raw, "onlyIf")) ? contexts : [{ before: null, after: null }];
  return places.map((place) => new Replacement({ core, ...place }, bytes, idOf(raw), startsOn(raw)));
}

function contextBytes(raw: JsonObject, name: string): Buffer | null {
  const value = text(raw, name);
  return value === "" ? null : Buffer.from(value, "utf8");
}

function flag(raw: JsonObject): Operation {
  const texts = {
    on: text(raw, "on"),
    off: text(raw, "off"),
    onSilent: text(raw, "onNoEmit"),
    offSilent: text(raw, "offNoEmit"),
  };
  return new SetFlag(text(raw, "name"), texts, idOf(raw), booleanOf(member(raw, "default")) ?? null);
}

function conditionals(raw: JsonObject, context: CustomContext): Operation[] {
  const style = text(raw, "style").toLowerCase();
  if (style === "" || style === "custom") return [customConditional(raw, context)];
  const options = {
    keywords: keywordsOf(raw),
    evaluate: evaluatorOf(raw, context),
    wholeLine: booleanMember(raw, "wholeLine", true),
    trim: booleanMember(raw, "trim", true),
    id: idOf(raw),
    startsOn: startsOn(raw),
  };
  if (style === "line" && text(raw, "token") !== "") return lineComments(text(raw, "token"), options);
  if (style === "block" && text(raw, "startToken") !== "" && text(raw, "endToken") !== "") {
    const pseudo = textMember(raw, "pseudoEndToken");
    return blockComments(text(raw, "startToken"), text(raw, "endToken"), options, pseudo || undefined);
  }
  context.report.warn(
    "CustomOperationUnknown",
    `A custom conditional operation has the style "${style}", which is unknown or incomplete.`,
  );
  return [];
}

function customConditional(raw: JsonObject, context: CustomContext): Operation {
  const list = (name: string) => textsMember(raw, name) ?? [];
  return new IfDirective({
    tokens: {
      if: list("if"),
      elseif: list("elseif"),
      else: list("else"),
      endif: list("endif"),
      actionableIf: list("actionableIf"),
      actionableElseif: list("actionableElseif"),
      actionableElse: list("actionableElse"),
      actions: list("actions"),
    },
    wholeLine: booleanMember(raw, "wholeLine"),
    trim: booleanMember(raw, "trim"),
    evaluate: evaluatorOf(raw, context),
    id: idOf(raw),
    startsOn: startsOn(raw),
  });
}

function keywordsOf(raw: JsonObject): Keywords {
  const keywordOf = (name: string, fallback: readonly string[]) => {
    const keyword = textMember(raw, name);
    return keyword === null || keyword.trim() === "" ? fallback : [keyword];
  };
  return {
    prefix: textMember(raw, "keywordPrefix") ?? standardKeywords.prefix,
    if: keywordOf("ifKeyword", standardKeywords.if),
    elseif: keywordOf("elseIfKeyword", standardKeywords.elseif),
    else: keywordOf("elseKeyword", standardKeywords.else),
    endif: keywordOf("endIfKeyword", standardKeywords.endif),
  };
}

function evaluatorOf(raw: JsonObject, context: CustomContext): EvaluateAt {
  const name = textMember(raw, "evaluator");
  const evaluator: EvaluatorName | undefined = evaluatorNamed(name, "C++");
  if (evaluator === undefined)
    context.report.warn("UnknownEvaluator", `The evaluator "${name}" is unknown, so C++ is used.`);
  return context.evaluators.at(evaluator ?? "C++");
}
