import { reportConstraints } from "@factory/template-engine/constraints";
import type { Finding } from "@factory/template-engine/finding";
import { isJsonObject } from "@factory/template-engine/json-value";
import { stringMember } from "@factory/template-engine/jsonc";
import { RenderReport } from "@factory/template-engine/render-report";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

/** A server has no operating system, host, workloads or project of the user: only the SDK's version can be judged. */
export function lintConstraints(
  { constraints }: TemplateConfig,
  targetFramework: string | undefined,
  places: ConfigPlaces,
): Finding[] {
  return Object.entries(constraints).flatMap(([name, constraint]) => {
    // one without a type is reported where shapes are
    if (!isJsonObject(constraint) || !stringMember(constraint, "type")?.trim()) return [];
    const report = new RenderReport();
    reportConstraints({ [name]: constraint }, targetFramework, report);
    const place = places.at("constraints", name);
    return report.warnings.map(({ code, message }) =>
      code === "ConstraintIgnored"
        ? finding("ConstraintNotChecked", message, place)
        : finding("ConstraintNotMet", message, {
            ...place,
            suggestion: "Correct the constraint, or the target framework of the version.",
          }),
    );
  });
}
