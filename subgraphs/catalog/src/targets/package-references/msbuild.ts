import { attributeOf, childOf, isNamed, outline, type XmlElement } from "@factory/template-engine/xml-outline";
import {
  addAttribute,
  escapeXml,
  indentOf,
  insertAfter,
  insertFirst,
  removeAttribute,
  removeElement,
  setAttribute,
  setText,
} from "./xml-splice.js";

/** The MSBuild items that name a package: a project's reference, and the version in the central file. */
export type PackageItem = "PackageReference" | "PackageVersion";

/** A project's item groups in document order, without those inside targets. */
function itemGroups(project: XmlElement): XmlElement[] {
  return project.children.flatMap((child) => {
    if (isNamed(child, "ItemGroup")) return [child];
    return ["Choose", "When", "Otherwise"].some((name) => isNamed(child, name)) ? itemGroups(child) : [];
  });
}

function identityOf(item: XmlElement): string {
  return (attributeOf(item, "Include") ?? attributeOf(item, "Update"))?.value.trim() ?? "";
}

/** A package's items of that kind; package ids compare ignoring case. */
export function packageItems(text: string, kind: PackageItem, packageName: string): XmlElement[] {
  return itemGroups(outline(text))
    .flatMap((group) => group.children)
    .filter((item) => isNamed(item, kind) && identityOf(item).toLowerCase() === packageName.toLowerCase());
}

/** The last value a property gets, trimmed; conditions are not evaluated. */
export function propertyOf(text: string, name: string): string | undefined {
  return outline(text)
    .children.filter((child) => isNamed(child, "PropertyGroup"))
    .flatMap((group) => group.children)
    .findLast((property) => isNamed(property, name))
    ?.text.trim();
}

/** A metadata member's value, from an attribute or from a child element. */
export function metadataOf(item: XmlElement, name: string): string | undefined {
  return (attributeOf(item, name)?.value ?? childOf(item, name)?.text)?.trim();
}

export function setMetadata(text: string, item: XmlElement, [name, value]: readonly [string, string]): string {
  const attribute = attributeOf(item, name);
  if (attribute !== undefined) return setAttribute(text, attribute, value);
  const child = childOf(item, name);
  if (child !== undefined) return setText(text, child, value);
  const identity = attributeOf(item, "Include") ?? attributeOf(item, "Update");
  return identity === undefined ? text : addAttribute(text, identity, [name, value]);
}

export function removeMetadata(text: string, item: XmlElement, name: string): string {
  const attribute = attributeOf(item, name);
  if (attribute !== undefined) return removeAttribute(text, attribute);
  const child = childOf(item, name);
  return child === undefined ? text : removeElement(text, child);
}

/**
 * Adds an item to the group with items of its kind: in order if the group is sorted, otherwise last. Creates a missing
 * group.
 */
export function addItem(text: string, kind: PackageItem, attributes: readonly (readonly [string, string])[]): string {
  const project = outline(text);
  const group = project.children.find(
    (child) =>
      isNamed(child, "ItemGroup") &&
      attributeOf(child, "Condition") === undefined &&
      child.children.some((item) => isNamed(item, kind)),
  );
  if (group === undefined) return addGroup(text, project, renderItem(kind, attributes, " />"));
  const siblings = group.children.filter((item) => isNamed(item, kind));
  const item = renderItem(kind, attributes, closingOf(text, siblings));
  const previous = predecessor(siblings, attributes[0]?.[1] ?? "");
  if (previous !== undefined) return insertAfter(text, previous, item);
  const [first] = group.children;
  return insertFirst(text, group, [item, first && indentOf(text, first)]);
}

function renderItem(kind: PackageItem, attributes: readonly (readonly [string, string])[], closing: string): string {
  return `<${kind}${attributes.map(([name, value]) => ` ${name}="${escapeXml(value)}"`).join("")}${closing}`;
}

function closingOf(text: string, siblings: readonly XmlElement[]): string {
  const example = siblings.find((sibling) => sibling.selfClosing);
  return example === undefined || /\s\/>$/.test(text.slice(example.start, example.end)) ? " />" : "/>";
}

// undefined: the new item comes first
function predecessor(siblings: readonly XmlElement[], packageName: string): XmlElement | undefined {
  const names = siblings.map((sibling) => identityOf(sibling).toLowerCase());
  const isSorted = names.every((name, index) => index === 0 || (names[index - 1] ?? "") <= name);
  return isSorted ? siblings[names.findLastIndex((name) => name < packageName.toLowerCase())] : siblings.at(-1);
}

function addGroup(text: string, project: XmlElement, item: string): string {
  const anchor = project.children.findLast((child) => isNamed(child, "ItemGroup")) ?? project.children.at(-1);
  const outer = anchor && indentOf(text, anchor);
  const step = indentStep(text, project, outer);
  const group = `<ItemGroup>\n${step}${item}\n</ItemGroup>`;
  if (anchor === undefined) return insertFirst(text, project, [group, step]);
  const blank = hasBlankLines(text, project) ? "\n" : "";
  return insertAfter(text, anchor, blank + group);
}

function indentStep(text: string, project: XmlElement, outer: string | undefined): string {
  for (const parent of project.children) {
    const [child] = parent.children;
    const inner = child && indentOf(text, child);
    if (inner !== undefined && outer !== undefined && inner.length > outer.length) return inner.slice(outer.length);
  }
  return outer === undefined || outer === "" ? "  " : outer;
}

function hasBlankLines(text: string, project: XmlElement): boolean {
  const [first, last] = [project.children[0], project.children.at(-1)];
  if (first === undefined || last === undefined || first === last)
    return /\n[ \t]*\r?\n/.test(text.slice(project.openEnd, first?.start ?? project.openEnd));
  return project.children.some((child, index) => {
    const next = project.children[index + 1];
    return next !== undefined && /\n[ \t]*\r?\n/.test(text.slice(child.end, next.start));
  });
}
