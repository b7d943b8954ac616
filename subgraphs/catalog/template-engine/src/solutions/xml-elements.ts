import { SaxesParser } from "saxes";

/** An element of a text and where it stands; offsets are those of the text, byte order mark included. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly parent: XmlElement | null;
  /** From `<` to behind `>` of the opening tag. */
  readonly start: number;
  readonly openEnd: number;
  /** Where the closing tag begins; null when the element closes itself. */
  closeStart: number | null;
  end: number;
}

/** All elements in the order in which they open; undefined when the text is not well-formed. */
export function xmlElements(document: string): XmlElement[] | undefined {
  const text = document.replace(/^\ufeff/, "");
  const shift = document.length - text.length;
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  const parser = new SaxesParser({ position: true });
  let tagStart = 0;
  let broken = false;
  parser.on("error", () => {
    broken = true;
  });
  parser.on("opentagstart", (tag) => {
    tagStart = text.lastIndexOf(`<${tag.name}`, parser.position - 1);
  });
  parser.on("opentag", (tag) => {
    const element: XmlElement = {
      name: tag.name,
      attributes: tag.attributes as Record<string, string>,
      parent: open.at(-1) ?? null,
      start: tagStart + shift,
      openEnd: parser.position + shift,
      closeStart: null,
      end: parser.position + shift,
    };
    elements.push(element);
    open.push(element);
  });
  parser.on("closetag", (tag) => {
    const element = open.pop();
    if (element === undefined || tag.isSelfClosing) return;
    element.closeStart = text.lastIndexOf("</", parser.position) + shift;
    element.end = parser.position + shift;
  });
  parser.write(text).close();
  return broken || elements.length === 0 ? undefined : elements;
}
