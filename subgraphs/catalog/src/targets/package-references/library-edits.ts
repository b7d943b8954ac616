import { compareVersions, parseVersion } from "@factory/nuget/version";
import { addItem, metadataOf, type PackageItem, packageItems, removeMetadata, setMetadata } from "./msbuild.js";

export interface InjectedPackage {
  readonly packageName: string;
  readonly version: string;
}

export interface Edit {
  readonly text: string;
  /** The version that was kept because it is higher than the requested one. */
  readonly keptHigher?: string | undefined;
  /** Whether the project overrides this package's version, so that the central version has no effect on it. */
  readonly overridden?: boolean;
}

/** Adds a reference with exactly this version, for projects without central package management. */
export function referenceWithVersion(text: string, { packageName, version }: InjectedPackage): Edit {
  const items = packageItems(text, "PackageReference", packageName);
  if (items.length === 0) return { text: add(text, "PackageReference", { packageName, version }) };
  // from the end, so that the offsets of earlier items stay valid
  const editedText = items.toReversed().reduce((current, item) => {
    const isUnchanged = isSame(metadataOf(item, "Version"), version);
    return isUnchanged ? current : setMetadata(current, item, ["Version", version]);
  }, text);
  return { text: editedText };
}

/** Adds a reference without a version, for central package management. An existing VersionOverride is raised. */
export function referenceWithoutVersion(text: string, { packageName, version }: InjectedPackage): Edit {
  const items = packageItems(text, "PackageReference", packageName);
  if (items.length === 0) return { text: add(text, "PackageReference", { packageName }) };
  let keptHigher: string | undefined;
  const editedText = items.toReversed().reduce((current, item) => {
    const override = metadataOf(item, "VersionOverride");
    if (override === undefined) return removeMetadata(current, item, "Version");
    if (isHigher(override, version)) keptHigher = override;
    if (keptHigher !== undefined || isSame(override, version)) return current;
    return setMetadata(current, item, ["VersionOverride", version]);
  }, text);
  return {
    text: editedText,
    keptHigher,
    overridden: items.every((item) => metadataOf(item, "VersionOverride") !== undefined),
  };
}

/** Adds or raises the version in the central file. A higher version stays, because other projects may need it. */
export function centralVersion(text: string, { packageName, version }: InjectedPackage): Edit {
  const items = packageItems(text, "PackageVersion", packageName);
  if (items.length === 0) return { text: add(text, "PackageVersion", { packageName, version }) };
  let keptHigher: string | undefined;
  const editedText = items.toReversed().reduce((current, item) => {
    const present = metadataOf(item, "Version");
    if (isSame(present, version)) return current;
    if (!isHigher(present, version)) return setMetadata(current, item, ["Version", version]);
    keptHigher = present;
    return current;
  }, text);
  return { text: editedText, keptHigher };
}

function add(
  text: string,
  kind: PackageItem,
  { packageName, version }: { packageName: string; version?: string },
): string {
  const include = ["Include", packageName] as const;
  return addItem(text, kind, version === undefined ? [include] : [include, ["Version", version]]);
}

function isSame(present: string | undefined, requestedVersion: string): boolean {
  return present === requestedVersion || order(present, requestedVersion) === 0;
}

// an expression such as $(OrdersVersion) cannot be compared, so it is replaced
function isHigher(present: string | undefined, requestedVersion: string): boolean {
  return (order(present, requestedVersion) ?? 0) > 0;
}

function order(present: string | undefined, requestedVersion: string): number | undefined {
  const [a, b] = [parseVersion(present ?? ""), parseVersion(requestedVersion)];
  return a && b && compareVersions(a, b);
}
