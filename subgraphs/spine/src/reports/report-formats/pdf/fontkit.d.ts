/** The package has no types. These are the parts that the pdf layout uses. */
declare module "fontkit" {
  export interface Glyph {
    /** In the font's units. */
    readonly advanceWidth: number;
  }

  export interface Font {
    readonly unitsPerEm: number;
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): Glyph;
  }

  export function create(bytes: Uint8Array): Font;
}
