import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

interface SourceMapFile {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/**
 * The source map without the modules from packages, which make up four fifths. A map is read when an error is logged,
 * and requests wait meanwhile.
 */
export function ownSourceMap<T extends SourceMapFile>(map: T): T {
  const isOwn = map.sources.map((source) => !source.includes("node_modules/"));
  const lines = decode(map.mappings).map((segments) => ownSegments(segments, isOwn));
  return { ...map, mappings: encode(lines) };
}

/** A position in a package gets a segment without a source, since it would belong to the segment before it otherwise. */
function ownSegments(segments: readonly SourceMapSegment[], isOwn: readonly boolean[]): SourceMapSegment[] {
  const keptSegments: SourceMapSegment[] = [];
  for (const segment of segments) {
    const isOwnSegment = segment.length > 1 && isOwn[segment[1] as number];
    if (isOwnSegment) keptSegments.push(segment);
    else if (keptSegments.at(-1)?.length !== 1) keptSegments.push([segment[0]]);
  }
  return keptSegments;
}
