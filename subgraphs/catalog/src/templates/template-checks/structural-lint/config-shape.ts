import type { Finding } from "@factory/template-engine/finding";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@factory/template-engine/json-value";
import { textsMember } from "@factory/template-engine/jsonc";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";
import { refused, type Shape, templateShape } from "./shape-rules.js";

type Path = readonly (string | number)[];

/** Finds members in template.json with a wrong type. The engine treats most such members as absent. */
export function lintShape({ raw }: TemplateConfig, places: ConfigPlaces): Finding[] {
  const files = (textsMember(raw, "additionalConfigFiles") ?? []).filter((name) => !name.endsWith(".template.json"));
  return [
    ...new Walk(places).check(raw, templateShape, []),
    ...files.map((name) =>
      finding(
        "SchemaViolation",
        `The name of the additional configuration file "${name}" does not end with ".template.json".`,
        {
          ...places.at("additionalConfigFiles"),
          severity: "Error",
        },
      ),
    ),
  ];
}

class Walk {
  readonly #places: ConfigPlaces;

  constructor(places: ConfigPlaces) {
    this.#places = places;
  }

  check(value: JsonValue, shape: Shape, path: Path): Finding[] {
    if (!fits(value, shape)) return this.#misfit(value, shape, path);
    switch (shape.kind) {
      case "list":
        return isJsonArray(value) ? value.flatMap((item, index) => this.check(item, shape.of, [...path, index])) : [];
      case "map":
        return isJsonObject(value)
          ? Object.entries(value).flatMap(([name, item]) => this.check(item, shape.of, [...path, name]))
          : [];
      case "object":
        return isJsonObject(value) ? this.#members(value, shape, path) : [];
      case "either": {
        const match = shape.shapes.find((candidate) => fits(value, candidate));
        return match ? this.check(value, match, path) : [];
      }
      default:
        return [];
    }
  }

  #members(value: JsonObject, { members, required = [] }: Extract<Shape, { kind: "object" }>, path: Path): Finding[] {
    const shapes = new Map(Object.entries(members).map(([name, shape]) => [name.toLowerCase(), shape]));
    const names = new Set(Object.keys(value).map((name) => name.toLowerCase()));
    return [
      ...Object.entries(value).flatMap(([name, item]) => {
        const shape = shapes.get(name.toLowerCase());
        if (shape) return this.check(item, shape, [...path, name]);
        return isRemark(name) ? [] : [this.#unknown(name, [...path, name])];
      }),
      ...required
        .filter((name) => !names.has(name))
        .map((name) =>
          finding(
            "SchemaViolation",
            `${subject(path)} has no "${name}", so the engine ignores it.`,
            this.#places.at(...path),
          ),
        ),
    ];
  }

  /** The engine ignores unknown members, and authors often write comments as members. */
  #unknown(name: string, path: Path): Finding {
    const message = `The format does not define the member "${name}".`;
    return finding("SchemaViolation", message, { ...this.#places.at(...path), severity: "Info" });
  }

  #misfit(value: JsonValue, shape: Shape, path: Path): Finding[] {
    const place = this.#places.at(...path);
    const isRefused = refused.some((pattern) => pattern.test(place.pointer));
    const effect = isRefused ? "the template cannot be installed" : "the engine ignores it";
    const message = `${subject(path)} is ${nameOf(value)} instead of ${wanted(shape)}; ${effect}.`;
    return [finding("SchemaViolation", message, { ...place, ...(isRefused ? { severity: "Error" } : {}) })];
  }
}

function fits(value: JsonValue, shape: Shape): boolean {
  switch (shape.kind) {
    case "anything":
      return true;
    case "scalar":
      return typeof value !== "object" || value === null;
    case "text":
      return typeof value === "string" || value === null;
    case "texts":
      return typeof value === "string" || (isJsonArray(value) && value.every((item) => typeof item === "string"));
    case "condition":
      return typeof value === "boolean" || typeof value === "string";
    case "list":
      return isJsonArray(value);
    case "map":
    case "object":
      return isJsonObject(value);
    case "either":
      return shape.shapes.some((candidate) => fits(value, candidate));
  }
}

function wanted(shape: Shape): string {
  switch (shape.kind) {
    case "texts":
      return "a text or a list of texts";
    case "condition":
      return "true, false or a condition";
    case "list":
      return "a list";
    case "map":
    case "object":
      return "an object";
    case "either":
      return shape.shapes.map(wanted).join(" or ");
    case "scalar":
      return "one value";
    default:
      return "a text";
  }
}

function nameOf(value: JsonValue): string {
  if (value === null) return "null";
  if (isJsonArray(value)) return value.every((item) => typeof item !== "string") ? "a list without texts" : "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value === "string" ? "text" : typeof value}`;
}

function subject(path: Path): string {
  return path.length === 0 ? "The template" : `"${path.join("/")}"`;
}

/** Names that authors use for comments, since JSON has none. */
function isRemark(name: string): boolean {
  return /^(?:\$|_|\/\/|#)/.test(name) || /comment/i.test(name);
}
