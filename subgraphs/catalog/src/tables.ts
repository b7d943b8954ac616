import { CompatibilityMatrix } from "./compatibility/compatibility-matrix.entity.js";
import { Execution } from "./executions/execution.entity.js";
import { Library } from "./libraries/library.entity.js";
import { LibraryVersion } from "./libraries/library-version.entity.js";
import { Migration20261121072213_first } from "./migrations/Migration20261121072213_first.js";
import { Migration20261121075513_retention } from "./migrations/Migration20261121075513_retention.js";
import { TemplateVersion } from "./template-versions/template-version.entity.js";
import { Template } from "./templates/template.entity.js";
import { ValidationResult } from "./validations/validation-result.entity.js";

export const catalogTables = {
  entities: [Template, TemplateVersion, Execution, ValidationResult, Library, LibraryVersion, CompatibilityMatrix],
  migrations: [Migration20261121072213_first, Migration20261121075513_retention],
};
