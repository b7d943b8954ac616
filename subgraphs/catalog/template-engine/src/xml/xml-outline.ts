import { SaxesParser } from "saxes";

/** An element's attribute; the offsets enclose its raw value, without the quotes. */
export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** An element with the offsets that a text edit needs; a byte order mark counts as one character. */
export interface XmlElement {
  readonly name: string;
  /** The offset of its `<`. */
  readonly start: number;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Its own text, without its children's. */
  readonly text: string;
  /** The offset after the opening tag. For `<a/>` openEnd, closeStart and end are the same. */
  readonly openEnd: number;
  /** The closing tag's offset. */
  readonly closeStart: number;
  readonly end: number;
  readonly selfClosing: boolean;
}

type Growing = { -readonly [K in keyof XmlElement]: XmlElement[K] } & {
  attributes: XmlAttribute[];
  children: XmlElement[];
};

/** Reads an XML document's elements with their offsets. Throws the parser's error when it is not well-formed. */
export function outline(document: string): XmlElement {
  const text = document.replace(/^\ufeff/, "");
  const shift = document.length - text.length;
  const parser = new SaxesParser({ position: true });
  const open: Growing[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentagstart", ({ name }) => {
    const start = text.lastIndexOf("<", parser.position - 1) + shift;
    open.push({
      name,
      start,
      attributes: [],
      children: [],
      text: "",
      openEnd: 0,
      closeStart: 0,
      end: 0,
      selfClosing: false,
    });
  });
  parser.on("attribute", ({ name, value }) => {
    const valueEnd = parser.position - 1;
    const valueStart = text.lastIndexOf(text.charAt(valueEnd), valueEnd - 1) + 1;
    open.at(-1)?.attributes.push({ name, value, valueStart: valueStart + shift, valueEnd: valueEnd + shift });
  });
  parser.on("opentag", ({ isSelfClosing }) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.openEnd = parser.position + shift;
    element.selfClosing = isSelfClosing;
  });
  const addText = (content: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += content;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop();
    if (element === undefined) return;
    element.end = parser.position + shift;
    element.closeStart = element.selfClosing ? element.end : document.lastIndexOf("</", element.end - 1);
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });
  parser.write(text).close();
  if (root === undefined) throw new Error("The document has no element.");
  return root;
}

/** As `outline`; undefined when the document is not well-formed. */
export function outlineIfWellFormed(document: string): XmlElement | undefined {
  try {
    return outline(document);
  } catch {
    return undefined;
  }
}

/** The element itself and all elements inside it, in the order of their opening tags. */
export function elementsOf(root: XmlElement): XmlElement[] {
  const elements: XmlElement[] = [];
  const waiting = [root];
  // not recursive: a document may nest deeper than the stack
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    elements.push(element);
    for (const child of element.children.toReversed()) waiting.push(child);
  }
  return elements;
}

/** The value of the attribute that has exactly this name. */
export function attributeValue(element: XmlElement, name: string): string | undefined {
  return element.attributes.find((attribute) => attribute.name === name)?.value;
}

/** Escapes a text as an attribute value in double quotes. */
export function escapeAttribute(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The attribute by name, ignoring case as MSBuild does for metadata. */
export function attributeOf(element: XmlElement, name: string): XmlAttribute | undefined {
  return element.attributes.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());
}

/** The first child with a case-insensitive name. */
export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => isNamed(child, name));
}

/** Whether an element has a case-insensitive name. */
export function isNamed(element: XmlElement, name: string): boolean {
  return element.name.toLowerCase() === name.toLowerCase();
}
