const templateConfigPattern = /(?:^|\/)\.template\.config\/template\.json$/;

// Open Packaging Conventions, the NuGet manifest and signature: about the package, not part of the template
const metadataPattern =
  /^(?:\[content_types\]\.xml|_rels\/.*|package\/services\/metadata\/.*|[^/]+\.nuspec|\.signature\.p7s)$/i;

const contentFolder = "content";

export function isPackageMetadata(path: string): boolean {
  return metadataPattern.test(path);
}

/** Packages write the parts of a path as URI segments: a space is `%20`. What is no valid escape stays as it is. */
export function unescapedPath(name: string): string {
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  });
}

/** The folder a template pack means when none is named: `content` when every template lies there, as NuGet packs them. */
export function defaultFolder(paths: readonly string[]): string {
  const configs = paths.filter((path) => templateConfigPattern.test(path));
  const packed = configs.length > 0 && configs.every((path) => path.startsWith(`${contentFolder}/`));
  return packed ? contentFolder : "";
}
