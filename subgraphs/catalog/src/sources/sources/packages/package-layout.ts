const templateConfigPattern = /(?:^|\/)\.template\.config\/template\.json$/;

// Files of the Open Packaging Conventions, the NuGet manifest and the signature: they are not part of the template.
const metadataPattern =
  /^(?:\[content_types\]\.xml|_rels\/.*|package\/services\/metadata\/.*|[^/]+\.nuspec|\.signature\.p7s)$/i;

const contentFolder = "content";

/** Whether a path is metadata of the package rather than content of the template. */
export function isPackageMetadata(path: string): boolean {
  return metadataPattern.test(path);
}

/** Decodes the URI escapes in a path of a package (a space is `%20`). Invalid escapes stay unchanged. */
export function unescapedPath(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/**
 * The folder of the templates when the reference names none: `content` when it contains every template, as NuGet packs
 * them, else the root.
 */
export function defaultFolder(paths: readonly string[]): string {
  const configs = paths.filter((path) => templateConfigPattern.test(path));
  const packed = configs.length > 0 && configs.every((path) => path.startsWith(`${contentFolder}/`));
  return packed ? contentFolder : "";
}
