import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { create, type Font } from "fontkit";

const require = createRequire(import.meta.url);

/** One face from the embedded font, with the measures that the layout needs before anything is drawn. */
export class Face {
  readonly #font: Font;
  readonly #widths = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly bytes: Buffer,
  ) {
    this.#font = create(bytes);
  }

  has(codePoint: number): boolean {
    return this.#font.hasGlyphForCodePoint(codePoint);
  }

  /** A text's width in points, one glyph per character. */
  widthOf(text: string, size: number): number {
    let width = 0;
    for (const character of text) width += this.#advanceOf(character);
    return width * size;
  }

  #advanceOf(character: string): number {
    let width = this.#widths.get(character);
    if (width === undefined) {
      const codePoint = character.codePointAt(0) ?? 0;
      width = this.#font.glyphForCodePoint(codePoint).advanceWidth / this.#font.unitsPerEm;
      this.#widths.set(character, width);
    }
    return width;
  }
}

/** A report's faces. */
export interface Faces {
  readonly regular: Face;
  readonly bold: Face;
}

let loadedFaces: Promise<Faces> | undefined;

/** DejaVu Sans Condensed: an open font with Latin, Greek and Cyrillic. It is read once per process. */
export function loadFaces(): Promise<Faces> {
  loadedFaces ??= Promise.all([loadFace("DejaVuSansCondensed"), loadFace("DejaVuSansCondensed-Bold")]).then(
    ([regular, bold]) => ({ regular, bold }),
  );
  return loadedFaces;
}

const loadFace = async (name: string): Promise<Face> =>
  new Face(name, await readFile(require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)));
