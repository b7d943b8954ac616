import { decodeText, detectEncoding } from "@factory/template-engine/encodings";
import { FileSelection } from "@factory/template-engine/file-selection";
import { parseGlob } from "@factory/template-engine/glob";
import { RenderReport } from "@factory/template-engine/render-report";
import { sourcesOf, type TemplateSource } from "@factory/template-engine/template-config";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { sourceFolder, sourcePaths } from "./source-folders.js";

const maxProcessedBytes = 5 * 1024 * 1024;
const sniffedBytes = 8 * 1024;

/** A file that the template engine reads while it renders. */
export interface TemplateText {
  /** In the package. */
  readonly path: string;
  /** Decoded anew each time: all texts of a large template at once would not fit into the thread. */
  readonly text: string;
  /** The template has operations of its own for it and may spell conditions in its own way. */
  readonly custom: boolean;
}

export interface TemplateTexts {
  readonly texts: readonly TemplateText[];
  readonly tooLarge: readonly string[];
  /** All files that may be produced, as they are named in the template. */
  readonly names: readonly string[];
}

export function templateTexts(pack: TemplatePack): TemplateTexts {
  const own = [...pack.config.specialCustomOperations.keys()].map((glob) => parseGlob(glob));
  const texts = new Map<string, TemplateText>();
  const tooLarge = new Set<string>();
  const names = new Set<string>();
  for (const source of sourcesOf(pack.config)) {
    const folder = sourceFolder(pack, source.source);
    if (!folder) continue;
    const selection = selectionOf(source, pack);
    for (const { path, relative } of sourcePaths(folder)) {
      const disposition = selection.dispositionOf(relative);
      if (disposition === "excluded") continue;
      names.add(relative);
      const place = `${folder.above}${path}`;
      const bytes = folder.files.get(path)?.bytes;
      if (disposition === "copied" || !bytes || isBinary(bytes) || texts.has(place)) continue;
      if (bytes.length > maxProcessedBytes) tooLarge.add(place);
      else
        texts.set(
          place,
          textOf(
            place,
            bytes,
            own.some((glob) => glob.matches(relative)),
          ),
        );
    }
  }
  return { texts: [...texts.values()], tooLarge: [...tooLarge], names: [...names] };
}

function textOf(path: string, bytes: Uint8Array, custom: boolean): TemplateText {
  return {
    path,
    custom,
    get text() {
      return decodeText(bytes);
    },
  };
}

/** Without a byte order mark, which texts of wider characters have, no text holds a zero. */
export function isBinary(bytes: Uint8Array): boolean {
  return detectEncoding(bytes).encoding === "utf8" && bytes.subarray(0, sniffedBytes).includes(0);
}

/** A modifier that depends on a condition may bring files in, and may turn them into copies; it surely excludes none. */
function selectionOf(source: TemplateSource, { files }: TemplatePack): FileSelection {
  const modifiers = source.modifiers.map((modifier) => {
    if (!modifier.condition?.trim()) return modifier;
    const { include, copyOnly, rename } = modifier;
    return { condition: null, include: [...include, ...copyOnly], exclude: [], copyOnly, rename };
  });
  return new FileSelection({ ...source, modifiers }, files, new Map(), new RenderReport());
}
