/** The package has no types of its own. These are the parts that the layout of a pdf uses. */
declare module "fontkit" {
  export interface Glyph {
    /** In units of the font. */
    readonly advanceWidth: number;
  }

  export interface Font {
    readonly unitsPerEm: number;
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): Glyph;
  }

  export function create(bytes: Uint8Array): Font;
}
