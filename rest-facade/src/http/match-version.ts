import { DomainError } from "@factory/runtime/errors/domain-error";
import { LRUCache } from "lru-cache";
import { mediaRanges } from "./media-ranges.js";

/** The media type for version 1 of the integration API. */
export const integrationMediaType = "application/vnd.service.integration.v1+json";
const json = "application/json";
const jsonAnswer = "application/json; charset=utf-8";
const supportedTypes = [json, integrationMediaType];

/** Accept headers and the media type that each was answered with; false: none is acceptable. */
const negotiatedTypes = new LRUCache<string, string | false>({ max: 200 });

/**
 * The answer's media type (integration specification, Versioning 1). Without a preference it is plain JSON. Throws
 * NOT_ACCEPTABLE.
 */
export function matchMediaType(accept: string | undefined): string {
  const type = acceptableMediaType(accept);
  if (type === undefined)
    throw new DomainError("NOT_ACCEPTABLE", {
      detail: `The Accept header names no media type that is served here. Send ${supportedTypes.join(" or ")}, or leave the header out.`,
      supported: supportedTypes,
    });
  return type;
}

/** As `matchMediaType` for vendors, which accept anything: JSON where nothing that is served is acceptable. */
export const mediaTypeForVendor = (accept: string | undefined): string => acceptableMediaType(accept) ?? jsonAnswer;

function acceptableMediaType(accept: string | undefined): string | undefined {
  if (accept === undefined || accept === "*/*" || accept === json) return jsonAnswer;
  let type = negotiatedTypes.get(accept);
  if (type === undefined) {
    type = negotiate(accept) ?? false;
    negotiatedTypes.set(accept, type);
  }
  if (type === false) return undefined;
  return type === json ? jsonAnswer : type;
}

// The package negotiator refuses a media range with `charset=utf-8` and takes q=2 for 1, so we read the ranges ourselves.
function negotiate(accept: string): string | undefined {
  const ranges = mediaRanges(accept);
  if (ranges.length === 0) return json;
  const refusedTypes = new Set(ranges.filter(({ quality }) => quality === 0).map(({ type }) => type));
  const wantedRanges = ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || breadth(a.type) - breadth(b.type));
  for (const { type } of wantedRanges) {
    const offer = supportedTypes.find((candidate) => !refusedTypes.has(candidate) && covers(type, candidate));
    if (offer !== undefined) return offer;
  }
  return undefined;
}

const covers = (range: string, type: string) => range === type || range === "*/*" || range === "application/*";
const breadth = (range: string) => (range === "*/*" ? 2 : range === "application/*" ? 1 : 0);

/** The version that `api-version` names. */
export const apiVersion = "1.0";

/** Spine specification, Versioning 1: the header must agree with the `/v1` in the path. */
export function matchApiVersion(header: string | string[] | undefined): void {
  if (header === undefined || header === "1" || header === apiVersion) return;
  throw new DomainError("UNSUPPORTED_API_VERSION", {
    detail: `The header api-version must be ${apiVersion}. Correct it, or leave it out.`,
    supportedVersions: [apiVersion],
  });
}
