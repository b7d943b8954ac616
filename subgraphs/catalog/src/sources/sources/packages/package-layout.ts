const templateConfigPattern = /(?:^|\/)\.template\.config\/template\.json$/;

// Files of the Open Packaging Conventions, the NuGet manifest and the signature: they do not belong to the template.
const metadataPattern =
  /^(?:\[content_types\]\.xml|_rels\/.*|package\/services\/metadata\/.*|[^/]+\.nuspec|\.signature\.p7s)$/i;

const contentFolder = "content";

/** Whether a path is package metadata rather than template content. */
export function isPackageMetadata(path: string): boolean {
  return metadataPattern.test(path);
}

/** Decodes the URI escapes in a package path (a space is `%20`). Invalid escapes stay unchanged. */
export function unescapedPath(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

/**
 * The templates' folder when the reference names none: `content` when it contains every template, as NuGet packs them,
 * else the root.
 */
export function defaultFolder(paths: readonly string[]): string {
  const configs = paths.filter((path) => templateConfigPattern.test(path));
  const isPacked = configs.length > 0 && configs.every((path) => path.startsWith(`${contentFolder}/`));
  return isPacked ? contentFolder : "";
}
