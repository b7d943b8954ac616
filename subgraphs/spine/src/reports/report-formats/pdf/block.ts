import type { Font, Glyph } from "fontkit";
import type { Face } from "./faces.js";
import type { TextStyle } from "./wrap-text.js";

/** The document that is drawn; its pages have no margins. */
export type Canvas = PDFKit.PDFDocument;

/** A page part that is never divided. Its height is known before it is drawn. */
export interface Block {
  readonly height: number;
  readonly draw: (canvas: Canvas, top: number) => void;
}

/** Draws one text line, `x` and `top` being its upper left corner. */
export function drawText(
  canvas: Canvas,
  text: string,
  { face, size, color }: TextStyle & { readonly color: string },
  x: number,
  top: number,
): void {
  canvas.font(face.name).fontSize(size).fillColor(color).text(text, x, top, { lineBreak: false });
}

/** A horizontal line, from its left end. */
export interface Rule {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly color: string;
  /** 0.5 if absent. */
  readonly thickness?: number;
}

/** Draws a horizontal rule. */
export function drawRule(canvas: Canvas, { x, y, width, color, thickness = 0.5 }: Rule): void {
  canvas
    .moveTo(x, y)
    .lineTo(x + width, y)
    .lineWidth(thickness)
    .strokeColor(color)
    .stroke();
}

/** A glyph, and where the next one begins in thousandths of the size. */
interface PlacedGlyph {
  readonly glyph: Glyph;
  readonly position: {
    readonly xAdvance: number;
    readonly advanceWidth: number;
    readonly xOffset: number;
    readonly yOffset: number;
  };
}

/** The part that `registerFaces` replaces in a pdfkit font. It is not in the package's types. */
interface EmbeddedFont {
  readonly font: Font;
  readonly scale: number;
  layout: (text: string) => {
    readonly glyphs: readonly Glyph[];
    readonly positions: readonly PlacedGlyph["position"][];
    readonly advanceWidth: number;
  };
}

/**
 * Makes the faces known to a document, by their names. pdfkit would lay out each text three times with all font
 * features and keep every word. Here a text is one glyph per character, as the layout has measured it.
 */
export function registerFaces(canvas: Canvas, faces: readonly Face[]): void {
  for (const { name, bytes } of faces) {
    canvas.registerFont(name, bytes);
    const { _font: embeddedFont } = canvas.font(name) as unknown as { _font: EmbeddedFont };
    embeddedFont.layout = plainLayout(embeddedFont);
  }
}

function plainLayout({ font, scale }: EmbeddedFont): EmbeddedFont["layout"] {
  const glyphs = new Map<string, PlacedGlyph>();
  const placedGlyph = (character: string): PlacedGlyph => {
    const knownGlyph = glyphs.get(character);
    if (knownGlyph) return knownGlyph;
    const glyph = font.glyphForCodePoint(character.codePointAt(0) ?? 0);
    const advance = glyph.advanceWidth * scale;
    const newGlyph = { glyph, position: { xAdvance: advance, advanceWidth: advance, xOffset: 0, yOffset: 0 } };
    glyphs.set(character, newGlyph);
    return newGlyph;
  };
  return (text) => {
    const parts = Array.from(text, placedGlyph);
    return {
      glyphs: parts.map(({ glyph }) => glyph),
      positions: parts.map(({ position }) => position),
      advanceWidth: parts.reduce((sum, { position }) => sum + position.xAdvance, 0),
    };
  };
}
