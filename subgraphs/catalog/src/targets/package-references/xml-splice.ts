import type { XmlAttribute, XmlElement } from "@factory/template-engine/xml-outline";

function splice(text: string, [from, to]: readonly [number, number], replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

export function escapeXml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

export function setAttribute(text: string, attribute: XmlAttribute, value: string): string {
  const quotedValue = escapeXml(value).replaceAll("'", "&apos;");
  return splice(text, [attribute.valueStart, attribute.valueEnd], quotedValue);
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
  const textBefore = text.slice(0, element.start).trimEnd();
  return textBefore + text.slice(element.end);
}

/** Replaces what stands between an element's tags. */
export function setText(text: string, element: XmlElement, value: string): string {
  const escapedText = escapeXml(value);
  if (!element.selfClosing) return splice(text, [element.openEnd, element.closeStart], escapedText);
  return splice(text, [element.start, element.end], `<${element.name}>${escapedText}</${element.name}>`);
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
export function insertAfter(text: string, element: XmlElement, renderedXml: string): string {
  const indent = indentOf(text, element);
  if (indent === undefined) return splice(text, [element.end, element.end], renderedXml);
  const trailing = /^[ \t]*<!--(?:(?!-->)[^\r\n])*-->[ \t]*(?=\r?\n)/.exec(text.slice(element.end))?.[0] ?? "";
  const at = element.end + trailing.length;
  return splice(text, [at, at], endOfLine(text) + indented(text, renderedXml, indent));
}

/** Adds lines as an element's first content; `indent` is its children's indent, undefined when they share a line. */
export function insertFirst(
  text: string,
  element: XmlElement,
  [renderedXml, indent]: readonly [string, string | undefined],
): string {
  const inner = indent === undefined ? renderedXml : endOfLine(text) + indented(text, renderedXml, indent);
  if (!element.selfClosing) return splice(text, [element.openEnd, element.openEnd], inner);
  const open = text.slice(element.start, element.end).replace(/\s*\/>$/, ">");
  const close = `${indent === undefined ? "" : endOfLine(text)}</${element.name}>`;
  return splice(text, [element.start, element.end], open + inner + close);
}

function indented(text: string, renderedXml: string, indent: string): string {
  return renderedXml
    .split("\n")
    .map((line) => (line === "" ? "" : indent + line))
    .join(endOfLine(text));
}
