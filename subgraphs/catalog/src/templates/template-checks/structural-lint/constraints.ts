import { reportConstraints } from "@factory/template-engine/constraints";
import type { Finding } from "@factory/template-engine/finding";
import { isJsonObject } from "@factory/template-engine/json-value";
import { stringMember } from "@factory/template-engine/jsonc";
import { RenderReport } from "@factory/template-engine/render-report";
import type { TemplateConfig } from "@factory/template-engine/template-config";
import type { ConfigPlaces } from "../findings/config-place.js";
import { finding } from "../findings/finding-codes.js";

/** Checks the sdk-version constraints. Others need the user's machine or project, which a server does not have. */
export function lintConstraints(
  { constraints }: TemplateConfig,
  targetFramework: string | undefined,
  places: ConfigPlaces,
): Finding[] {
  return Object.entries(constraints).flatMap(([name, constraint]) => {
    // `lintShape` reports a constraint without a type
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
