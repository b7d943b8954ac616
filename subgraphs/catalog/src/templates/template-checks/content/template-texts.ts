import { decodeText, detectEncoding } from "@factory/template-engine/encodings";
import { FileSelection } from "@factory/template-engine/file-selection";
import { parseGlob } from "@factory/template-engine/glob";
import { RenderReport } from "@factory/template-engine/render-report";
import { sourcesOf, type TemplateSource } from "@factory/template-engine/template-config";
import type { TemplatePack } from "@factory/template-engine/template-pack";
import { isLfsPointer } from "../../../git/git/lfs-pointer.js";
import { sourceFolder, sourcePaths } from "./source-folders.js";

const maxProcessedBytes = 5 * 1024 * 1024;
const sniffedBytes = 8 * 1024;

/** A text file that the template engine processes in a render. */
interface TemplateText {
  /** The path in the package. */
  readonly path: string;
  /** Decoded on each access: a large template's texts would not all fit into the worker's memory. */
  readonly text: string;
  /** True when the template defines custom operations for the file, which may change how conditions are written. */
  readonly custom: boolean;
}

/** The files that a render may process or produce. */
export interface TemplateTexts {
  readonly texts: readonly TemplateText[];
  readonly tooLarge: readonly string[];
  /** The paths to all files that may be produced, as they are in the template. */
  readonly names: readonly string[];
  /** The files that may be produced and are Git LFS pointers. */
  readonly pointers: readonly string[];
}

/** Collects the texts that a render may process, and the names of all files that it may produce. */
export function templateTexts(pack: TemplatePack): TemplateTexts {
  const globs = [...pack.config.specialCustomOperations.keys()].map((glob) => parseGlob(glob));
  const texts = new Map<string, TemplateText>();
  const tooLarge = new Set<string>();
  const names = new Set<string>();
  const pointers = new Set<string>();
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
      if (bytes && isLfsPointer(bytes)) pointers.add(place);
      if (disposition === "copied" || !bytes || isBinary(bytes) || texts.has(place)) continue;
      if (bytes.length > maxProcessedBytes) tooLarge.add(place);
      else
        texts.set(
          place,
          textOf(
            place,
            bytes,
            globs.some((glob) => glob.matches(relative)),
          ),
        );
    }
  }
  return { texts: [...texts.values()], tooLarge: [...tooLarge], names: [...names], pointers: [...pointers] };
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

/** A zero byte marks a binary file, unless a byte order mark says that the text is UTF-16 or UTF-32. */
export function isBinary(bytes: Uint8Array): boolean {
  return detectEncoding(bytes).encoding === "utf8" && bytes.subarray(0, sniffedBytes).includes(0);
}

/** The selection as if every conditional modifier included its files and excluded none: each one may be produced. */
function selectionOf(source: TemplateSource, { files }: TemplatePack): FileSelection {
  const modifiers = source.modifiers.map((modifier) => {
    if (!modifier.condition?.trim()) return modifier;
    const { include, copyOnly, rename } = modifier;
    return { condition: null, include: [...include, ...copyOnly], exclude: [], copyOnly, rename };
  });
  return new FileSelection({ ...source, modifiers }, files, new Map(), new RenderReport());
}
