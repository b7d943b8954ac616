/** The package URL for a NuGet package (github.com/package-url/purl-spec). */
export function packageUrl(packageName: string, version: string | null): string {
  const name = `pkg:nuget/${encodeURIComponent(packageName)}`;
  return version === null ? name : `${name}@${encodeURIComponent(version)}`;
}
