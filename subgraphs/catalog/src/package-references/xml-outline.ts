import { SaxesParser } from "saxes";

/** An attribute and where its raw value stands in the text. */
export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** An element with the offsets that an edit of the text needs. For `<a/>` openEnd, closeStart and end are the same. */
export interface XmlElement {
  readonly name: string;
  readonly start: number;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  readonly text: string;
  readonly openEnd: number;
  readonly closeStart: number;
  readonly end: number;
  readonly selfClosing: boolean;
}

type Growing = { -readonly [K in keyof XmlElement]: XmlElement[K] } & {
  attributes: XmlAttribute[];
  children: XmlElement[];
};

/** Reads the elements of a well-formed document with their offsets; throws the parser's error otherwise. */
export function outline(text: string): XmlElement {
  const parser = new SaxesParser({ position: true });
  const open: Growing[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentagstart", ({ name }) => {
    const start = text.lastIndexOf("<", parser.position - 1);
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
    open.at(-1)?.attributes.push({ name, value, valueStart, valueEnd });
  });
  parser.on("opentag", ({ isSelfClosing }) => {
    const element = open.at(-1);
    if (element === undefined) return;
    element.openEnd = parser.position;
    element.selfClosing = isSelfClosing;
  });
  parser.on("text", (content) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += content;
  });
  parser.on("cdata", (content) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += content;
  });
  parser.on("closetag", () => {
    const element = open.pop();
    if (element === undefined) return;
    element.end = parser.position;
    element.closeStart = element.selfClosing ? element.end : text.lastIndexOf("</", element.end - 1);
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });
  parser.write(text).close();
  if (root === undefined) throw new Error("the document has no element");
  return root;
}

/** The attribute by name, ignoring case as MSBuild does for metadata. */
export function attributeOf(element: XmlElement, name: string): XmlAttribute | undefined {
  return element.attributes.find((attribute) => attribute.name.toLowerCase() === name.toLowerCase());
}

export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => isNamed(child, name));
}

export function isNamed(element: XmlElement, name: string): boolean {
  return element.name.toLowerCase() === name.toLowerCase();
}
