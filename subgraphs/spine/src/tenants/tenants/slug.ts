/** Regular expression: 3 to 63 lower-case letters, digits and inner hyphens. A DNS label and a path segment. */
export const slugPattern = "^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$";

/** Slugs appear in paths (`/git/{tenantSlug}/…`) and host names; these could be mistaken for platform names. */
const reservedSlugs = new Set([
  ..."admin administrator api app apps assets auth billing connect console dashboard docs events git graphql".split(
    " ",
  ),
  ..."health help internal livez login logout mail metrics null oauth openapi platform public readyz root".split(" "),
  ..."security static status support system tenant tenants undefined well-known www".split(" "),
]);

export const isReservedSlug = (slug: string): boolean => reservedSlugs.has(slug);
