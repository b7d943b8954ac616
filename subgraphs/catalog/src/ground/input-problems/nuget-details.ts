// The details for errors about texts that NuGet defines. Each says what is wrong and which form is allowed.

/** The error detail for a text that is not a NuGet package ID. */
export function packageIdDetail(text: string): string {
  return `"${text}" is not a valid NuGet package ID. Use at most 100 letters, digits and underscores, in parts joined by dots or hyphens, for example Newtonsoft.Json.`;
}

/** The error detail for a text that is not a NuGet version. */
export function versionDetail(text: string): string {
  return `The version "${text}" is not a valid NuGet version. Use MAJOR.MINOR.PATCH, for example 1.4.0 or 2.0.0-beta.1.`;
}

/** The error detail for a text that is not a NuGet version range. */
export function rangeDetail(text: string): string {
  return `"${text}" is not a valid NuGet version range. Use for example 1.0 (1.0 or higher), [1.0,2.0) or 1.*.`;
}

/** The error detail for a range such as `(1.0,1.0)`. */
export function emptyRangeDetail(text: string): string {
  return `The range "${text}" contains no version. Use a range with at least one version, for example [1.0,2.0).`;
}

/** The error detail for an unknown target framework moniker. */
export function frameworkDetail(text: string): string {
  return `"${text}" is not a known target framework. Use a moniker, for example net8.0, netstandard2.0 or net472.`;
}
