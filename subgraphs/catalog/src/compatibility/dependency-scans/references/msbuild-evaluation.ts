import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import { attributeOf, isNamed, type XmlElement } from "@factory/template-engine/xml-outline";
import { lookupPaths } from "../../../targets/package-references/project-files.js";
import { scanLimits } from "../limits/scan-limits.js";
import { type ConditionAnswers, holds } from "./conditions.js";
import { importedPath } from "./imported-path.js";
import type { MsbuildFiles } from "./msbuild-files.js";

/** An MSBuild item, from the project or from an imported file. */
export interface MsbuildItem {
  /** In lower case. */
  readonly kind: string;
  readonly operation: "Include" | "Update" | "Remove";
  /** The package names, expanded. */
  readonly names: readonly string[];
  /** A metadata member's value; undefined where it has none. */
  readonly metadata: (name: string) => string | undefined;
}

/** Says whether an element takes effect. It asks its condition at the first question. */
type Guard = () => boolean;

/** An element's place: its properties are those that were set before. */
interface Place {
  readonly folder: string;
  readonly before: number;
}

interface Assignment {
  readonly order: number;
  readonly guard: Guard;
  readonly value: () => string;
}

interface ItemGroup {
  readonly element: XmlElement;
  readonly folder: string;
  readonly guard: Guard;
}

interface EvaluationInput {
  readonly files: MsbuildFiles;
  readonly path: string;
  readonly answers: ConditionAnswers;
  /** Properties that no file changes, by name in lower case. */
  readonly fixed: ReadonlyMap<string, string>;
}

const maxLength = 4096;
/** Properties that refer to each other, and `Choose` elements inside each other. */
const maxDepth = 50;
const maxBranches = 50;
const operations = ["Include", "Update", "Remove"] as const;
const always: Guard = () => true;
/** Properties that name a file to import. */
const importing =
  /^(?:directory(?:build(?:props|targets)|packagesprops)path|(?:custom)?(?:before|after)(?:microsoft|directory)[a-z]*)$/;
const pathAbove =
  /\$\(\s*\[MSBuild\]::GetPathOfFileAbove\(\s*'?([^,'()]+)'?\s*(?:,\s*'?((?:\$\([\w.-]+\)|[^'()])*)'?\s*)?\)\s*\)/gi;
const reference = /\$\(\s*([\w.-]+)\s*\)/g;

/** One evaluation of a project, as MSBuild does it: properties in the order of the files, and then the items. */
export class MsbuildEvaluation {
  /** The limits that were reached. */
  readonly limits = new Set<ScanLimit>();
  readonly #input: EvaluationInput;
  readonly #assignments = new Map<string, Assignment[]>();
  readonly #groups: ItemGroup[] = [];
  readonly #imported = new Map<string, Guard>();
  readonly #open: string[] = [];
  /** The assignments that count in the end, by property. Many items read the same property. */
  readonly #last = new Map<string, Assignment | undefined>();
  #order = 0;
  #depth = 0;
  #isRead = false;
  #importsLeft: number = scanLimits.importsOfProject;

  constructor(input: EvaluationInput) {
    this.#input = input;
    const { path } = input;
    this.#nearest("Directory.Build.props", "importdirectorybuildprops");
    this.#nearest("Directory.Packages.props", "importdirectorypackagesprops");
    this.#import(path, always);
    this.#import(`${path}.user`, always);
    this.#nearest("Directory.Build.targets", "importdirectorybuildtargets");
    this.#isRead = true;
  }

  /** A property's final value; undefined where no file sets it. */
  property(name: string): string | undefined {
    return this.#value(name.toLowerCase(), this.#order);
  }

  /** The items of these kinds (in lower case) that take effect, in the order of the files. */
  items(kinds: readonly string[]): MsbuildItem[] {
    return this.#groups.flatMap(({ element: group, folder, guard }) => {
      const place = { folder, before: this.#order };
      return group.children.flatMap((element) => {
        const kind = element.name.toLowerCase();
        const operation = operations.find((name) => attributeOf(element, name) !== undefined);
        if (!kinds.includes(kind) || operation === undefined) return [];
        if (!guard() || !this.#guard(element, place)()) return [];
        const names = this.#expand(attributeOf(element, operation)?.value ?? "", place)
          .split(";")
          .map((name) => name.trim())
          .filter((name) => name !== "");
        return [{ kind, operation, names, metadata: (name: string) => this.#metadata(element, name, place) }];
      });
    });
  }

  #metadata(element: XmlElement, name: string, place: Place): string | undefined {
    const last = element.children.findLast((child) => isNamed(child, name) && this.#guard(child, place)());
    const text = (last?.text ?? attributeOf(element, name)?.value)?.trim();
    return (text && this.#expand(text, place).trim()) || undefined;
  }

  #nearest(name: string, switchedBy: string): void {
    const lookupPath = lookupPaths(this.#input.path, name).find((path) => this.#input.files.has(path));
    const before = this.#order;
    if (lookupPath !== undefined)
      this.#import(lookupPath, () => this.#value(switchedBy, before)?.toLowerCase() !== "false");
  }

  #import(path: string, guard: Guard): void {
    const root = this.#input.files.root(path);
    if (root === undefined || this.#open.includes(path)) return;
    this.#importsLeft -= 1;
    if (this.#importsLeft < 0) {
      this.limits.add("Files");
      return;
    }
    // MSBuild imports a file once
    const earlier = this.#imported.get(path);
    const elementGuard = earlier === undefined ? guard : () => !earlier() && guard();
    this.#imported.set(path, earlier === undefined ? guard : () => earlier() || guard());
    this.#open.push(path);
    this.#children(root, path.split("/").slice(0, -1).join("/"), elementGuard);
    this.#open.pop();
  }

  #children(parent: XmlElement, folder: string, parentGuard: Guard, depth = 0): void {
    if (depth > maxDepth) {
      this.limits.add("Files");
      return;
    }
    for (const element of parent.children) {
      const place = { folder, before: this.#order };
      const guard = both(parentGuard, this.#guard(element, place));
      if (isNamed(element, "PropertyGroup")) this.#assign(element, folder, guard);
      else if (isNamed(element, "ItemGroup")) this.#groups.push({ element, folder, guard });
      else if (isNamed(element, "ImportGroup")) this.#children(element, folder, guard, depth + 1);
      else if (isNamed(element, "Import")) this.#importElement(element, place, guard);
      else if (isNamed(element, "Choose")) this.#choose(element, folder, guard, depth);
      else if (isNamed(element, "Target")) this.#target(element, folder, guard);
    }
  }

  /** A target can add references before a restore, and its order is not evaluated. */
  #target(target: XmlElement, folder: string, parentGuard: Guard): void {
    const name = attributeOf(target, "Name")?.value ?? "";
    const guard = both(parentGuard, () => this.#input.answers.isTrue(`target ${name}`));
    for (const element of target.children)
      if (isNamed(element, "ItemGroup"))
        this.#groups.push({
          element,
          folder,
          guard: both(guard, () => this.#guard(element, { folder, before: this.#order })()),
        });
  }

  #choose(choose: XmlElement, folder: string, parentGuard: Guard, depth: number): void {
    if (choose.children.length > maxBranches) this.limits.add("Conditions");
    let open = parentGuard;
    for (const element of choose.children.slice(0, maxBranches)) {
      const elementGuard = this.#guard(element, { folder, before: this.#order });
      if (isNamed(element, "When")) {
        this.#children(element, folder, both(open, elementGuard), depth + 1);
        open = both(open, () => !elementGuard());
      } else if (isNamed(element, "Otherwise")) this.#children(element, folder, open, depth + 1);
    }
  }

  #assign(group: XmlElement, folder: string, parentGuard: Guard): void {
    for (const element of group.children) {
      const name = element.name.toLowerCase();
      const order = this.#order;
      const place = { folder, before: order };
      const guard = both(parentGuard, this.#guard(element, place));
      const value = once(() => this.#expand(element.text.trim(), place));
      const assignments = this.#assignments.get(name);
      if (assignments === undefined) this.#assignments.set(name, [{ order, guard, value }]);
      else assignments.push({ order, guard, value });
      this.#order += 1;
      if (importing.test(name)) this.limits.add("Files");
    }
  }

  #importElement(element: XmlElement, place: Place, guard: Guard): void {
    // an import with an Sdk belongs to a package
    if (attributeOf(element, "Sdk") !== undefined) return;
    const text = this.#expand(attributeOf(element, "Project")?.value ?? "", place);
    for (const pathText of text.split(";")) {
      const path = importedPath(pathText, place.folder);
      if (path === undefined) this.limits.add("Files");
      else this.#import(path, guard);
    }
  }

  #guard(element: XmlElement, place: Place): Guard {
    const condition = attributeOf(element, "Condition")?.value;
    if (condition === undefined) return always;
    // a property has its default where it was not set before
    const defaults = isNamed(element, "PropertyGroup") ? element.children : [element];
    return once(() =>
      holds(this.#withPaths(condition, place), {
        expand: (text) => this.#expand(text, place),
        isSet: (name) => this.#value(name, place.before) !== undefined,
        defaults: new Set(defaults.map(({ name }) => name.toLowerCase())),
        isFile: (text) => this.#input.files.has(importedPath(text, place.folder) ?? ""),
        answers: this.#input.answers,
      }),
    );
  }

  #value(name: string, before: number): string | undefined {
    const fixedValue = this.#input.fixed.get(name);
    if (fixedValue !== undefined) return fixedValue;
    if (this.#depth > maxDepth) {
      this.limits.add("Conditions");
      return undefined;
    }
    this.#depth += 1;
    const value = this.#taken(name, before)?.value();
    this.#depth -= 1;
    return value;
  }

  #taken(name: string, before: number): Assignment | undefined {
    const isLast = this.#isRead && before === this.#order;
    if (isLast && this.#last.has(name)) return this.#last.get(name);
    const assignment = this.#assignments.get(name)?.findLast(({ order, guard }) => order < before && guard());
    if (isLast) this.#last.set(name, assignment);
    return assignment;
  }

  /** Replaces `$(Name)` by the property's value. A property that no file sets before stays as it is written. */
  #expand(text: string, place: Place): string {
    if (text.length > maxLength || !text.includes("$(")) return text;
    let remainingLength = maxLength;
    const expandedText = this.#withPaths(text, place).replace(reference, (whole, name: string) => {
      const value = this.#wellKnown(name.toLowerCase(), place) ?? this.#value(name.toLowerCase(), place.before);
      remainingLength -= (value ?? whole).length;
      return value === undefined || remainingLength < 0 ? whole : value;
    });
    return expandedText.length > maxLength ? text : expandedText;
  }

  #wellKnown(name: string, { folder }: Place): string | undefined {
    const { path } = this.#input;
    const segments = path.split("/");
    if (name === "msbuildthisfiledirectory") return folder === "" ? "/" : `/${folder}/`;
    if (name === "msbuildprojectdirectory") return `/${segments.slice(0, -1).join("/")}`;
    if (name === "msbuildprojectname") return segments.at(-1)?.replace(/\.[^.]*$/, "");
    return undefined;
  }

  #withPaths(text: string, place: Place): string {
    if (text.length > maxLength) return text;
    return text.replace(pathAbove, (_, name: string, start = "") => {
      const from = importedPath(this.#expand(`${start || "."}/x`, place), place.folder) ?? "x";
      const foundPath = lookupPaths(from, name.trim()).find((path) => this.#input.files.has(path));
      return foundPath === undefined ? "" : `/${foundPath}`;
    });
  }
}

function both(a: Guard, b: Guard): Guard {
  if (a === always) return b;
  return b === always ? a : () => a() && b();
}

function once<Result>(work: () => Result): () => Result {
  let memo: { readonly result: Result } | undefined;
  return () => {
    memo ??= { result: work() };
    return memo.result;
  };
}
