import type { XmlAttribute, XmlElement } from "@factory/template-engine/xml-outline";

function splice(text: string, [from, to]: readonly [number, number], replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

export function escapeXml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function setAttribute(text: string, attribute: XmlAttribute, value: string): string {
  const quoted = escapeXml(value).replaceAll("'", "&apos;");
  return splice(text, [attribute.valueStart, attribute.valueEnd], quoted);
}

export function addAttribute(text: string, after: XmlAttribute, [name, value]: readonly [string, string]): string {
  const at = after.valueEnd + 1;
  return splice(text, [at, at], ` ${name}="${escapeXml(value)}"`);
}

/** Takes the attribute out together with the white space before it. */
export function removeAttribute(text: string, attribute: XmlAttribute): string {
  const before = text.slice(0, attribute.valueStart);
  const from = before.search(/\s+[^\s"'=]+\s*=\s*["']$/);
  return splice(text, [from, attribute.valueEnd + 1], "");
}

/** Takes the element out together with the white space before it. */
export function removeElement(text: string, element: XmlElement): string {
  const kept = text.slice(0, element.start).trimEnd();
  return kept + text.slice(element.end);
}

/** Replaces what stands between the tags of an element. */
export function setText(text: string, element: XmlElement, value: string): string {
  const escaped = escapeXml(value);
  if (!element.selfClosing) return splice(text, [element.openEnd, element.closeStart], escaped);
  return splice(text, [element.start, element.end], `<${element.name}>${escaped}</${element.name}>`);
}

function endOfLine(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** The white space before an element that begins its line, or undefined where something else stands before it. */
export function indentOf(text: string, element: XmlElement): string | undefined {
  const lineStart = text.lastIndexOf("\n", element.start - 1) + 1;
  const before = text.slice(lineStart, element.start);
  return lineStart > 0 && /^[ \t]*$/.test(before) ? before : undefined;
}

/** Adds lines after an element, and after a comment that ends its line: that comment belongs to the element. */
export function insertAfter(text: string, element: XmlElement, rendered: string): string {
  const indent = indentOf(text, element);
  if (indent === undefined) return splice(text, [element.end, element.end], rendered);
  const trailing = /^[ \t]*<!--(?:(?!-->)[^\r\n])*-->[ \t]*(?=\r?\n)/.exec(text.slice(element.end))?.[0] ?? "";
  const at = element.end + trailing.length;
  return splice(text, [at, at], endOfLine(text) + indented(text, rendered, indent));
}

/** Adds lines as the first content of an element; `indent` is that of its children, undefined when they share a line. */
export function insertFirst(
  text: string,
  element: XmlElement,
  [rendered, indent]: readonly [string, string | undefined],
): string {
  const inner = indent === undefined ? rendered : endOfLine(text) + indented(text, rendered, indent);
  if (!element.selfClosing) return splice(text, [element.openEnd, element.openEnd], inner);
  const open = text.slice(element.start, element.end).replace(/\s*\/>$/, ">");
  const close = `${indent === undefined ? "" : endOfLine(text)}</${element.name}>`;
  return splice(text, [element.start, element.end], open + inner + close);
}

function indented(text: string, rendered: string, indent: string): string {
  return rendered
    .split("\n")
    .map((line) => (line === "" ? "" : indent + line))
    .join(endOfLine(text));
}
