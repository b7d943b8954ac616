import type { RenderReport } from "../findings/render-report.js";
import { isJsonObject, type JsonValue } from "../json/json-value.js";
import { member, scalarText, stringMember } from "../json/jsonc.js";

/** Reports a template's constraints that are not met or not checked. A constraint never stops a render. */
export function reportConstraints(
  constraints: Readonly<Record<string, JsonValue>>,
  targetFramework: string | undefined,
  report: RenderReport,
): void {
  for (const [name, constraint] of Object.entries(constraints)) {
    const type = isJsonObject(constraint) ? (stringMember(constraint, "type") ?? "") : "";
    const args = isJsonObject(constraint) ? member(constraint, "args") : undefined;
    switch (type) {
      case "os":
      case "host":
      case "workload":
      case "project-capability":
        report.warn(
          "ConstraintIgnored",
          `The constraint "${name}" (${type}) is not checked: a scaffold is not made on the machine of its user.`,
        );
        break;
      case "sdk-version":
        reportSdkVersion(name, args, { targetFramework, report });
        break;
      default:
        report.warn("ConstraintUnknown", `The constraint "${name}" has the unknown type "${type}" and is ignored.`);
    }
  }
}

function reportSdkVersion(
  name: string,
  args: JsonValue | undefined,
  { targetFramework, report }: { targetFramework: string | undefined; report: RenderReport },
): void {
  const versions = (Array.isArray(args) ? args : [args]).map(scalarText).filter((text) => text !== null);
  const upperBounds = versions.map(highestSdk);
  if (versions.length === 0 || upperBounds.includes(undefined)) {
    report.warn(
      "ConstraintUnreadable",
      `The constraint "${name}" (sdk-version) has no valid version or version range.`,
    );
    return;
  }
  const framework = targetFramework === undefined ? undefined : frameworkVersion(targetFramework);
  if (framework === undefined) {
    report.warn(
      "ConstraintIgnored",
      `The constraint "${name}" (sdk-version) is not checked: the target framework is not tied to an SDK version.`,
    );
    return;
  }
  // a framework's first SDK has the patch number 100; a later SDK builds for earlier frameworks too
  const first = [...framework, 100];
  if (upperBounds.some((bound) => bound !== undefined && reaches(bound, first))) return;
  const range = versions.join(", ");
  report.warn("ConstraintUnmet", `The template requires the SDK ${range}, which cannot build for ${targetFramework}.`);
}

interface UpperBound {
  /** The version's numbers; Infinity where any number is allowed. */
  readonly parts: readonly number[];
  readonly inclusive: boolean;
}

/** The highest version of an exact, floating or range expression; undefined when the expression is invalid. */
function highestSdk(expression: string): UpperBound | undefined {
  const text = expression.trim();
  const range = /^[[(]([^,\])]*)(,?)([^,\])]*)([\])])$/.exec(text);
  if (range === null) return bound(text, true);
  const [, low = "", comma = "", high = "", close = ""] = range;
  if (comma === "") return close === "]" && text.startsWith("[") ? bound(low, true) : undefined;
  if (low.trim() !== "" && bound(low, true) === undefined) return undefined;
  return high.trim() === "" ? { parts: [Number.POSITIVE_INFINITY], inclusive: true } : bound(high, close === "]");
}

function bound(version: string, inclusive: boolean): UpperBound | undefined {
  const match = /^(\d+|\*)(?:\.(\d+|\*))?(?:\.(\d+|\*))?(?:\.(?:\d+|\*))?(?:-[\w.*-]*)?(?:\+[\w.-]*)?$/.exec(
    version.trim(),
  );
  if (match === null) return undefined;
  const open = inclusive ? Number.POSITIVE_INFINITY : 0;
  const parts = [match[1], match[2], match[3]].map((part) => {
    if (part === "*") return Number.POSITIVE_INFINITY;
    return part === undefined ? open : Number(part);
  });
  return { parts, inclusive };
}

function reaches({ parts, inclusive }: UpperBound, version: readonly number[]): boolean {
  for (const [index, number] of version.entries()) {
    const part = parts[index] ?? Number.POSITIVE_INFINITY;
    if (part !== number) return part > number;
  }
  return inclusive;
}

/** Major and minor version for .NET Core, .NET 5 and later. Other frameworks are not tied to an SDK version. */
function frameworkVersion(moniker: string): [number, number] | undefined {
  const match = /^(net|netcoreapp)(\d{1,3})\.(\d{1,3})(?:-.*)?$/i.exec(moniker.trim());
  if (match === null) return undefined;
  const major = Number(match[2]);
  return match[1]?.toLowerCase() === "net" && major < 5 ? undefined : [major, Number(match[3])];
}
