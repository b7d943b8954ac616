import { type ValueOf, vocabulary } from "./vocabulary.js";

export const templateStatuses = vocabulary("TemplateStatus", "The states of a template.", {
  Active: "The template takes new versions.",
  Archived: "The template takes no new versions. Its versions can still be executed, with a warning.",
});
export type TemplateStatus = ValueOf<typeof templateStatuses>;

export const templateVersionStatuses = vocabulary("TemplateVersionStatus", "The states of a template version.", {
  Draft: "The version can be changed and deleted. An execution of it warns.",
  Published: "The version is fixed and ready for use.",
  Deprecated: "The version can still be executed, with a warning.",
});
export type TemplateVersionStatus = ValueOf<typeof templateVersionStatuses>;

export const parameterSchemaOrigins = vocabulary("ParameterSchemaOrigin", "Where a parameter schema comes from.", {
  Given: "A request contained the schema.",
  Derived: "The schema describes the symbols of the template.",
  Open: "The schema accepts any object, because the content was not read yet or does not describe a schema.",
});
export type ParameterSchemaOrigin = ValueOf<typeof parameterSchemaOrigins>;

export const engineKinds = vocabulary("EngineKind", "The kinds of template engines.", {
  DotnetNewTemplatePack: "A template as `dotnet new` uses it, with a .template.config folder.",
});
export type EngineKind = ValueOf<typeof engineKinds>;

export const parameterDatatypes = vocabulary("TemplateParameterDatatype", "The datatypes of a template's parameters.", {
  string: "Any text.",
  bool: "True or false.",
  integer: "A number without a fraction.",
  float: "A number that may have a fraction.",
  hex: "A hexadecimal number with the prefix 0x.",
  choice: "One of the listed choices, or several where the parameter allows it.",
});
export type ParameterDatatype = ValueOf<typeof parameterDatatypes>;

export const templateChecks = vocabulary("TemplateCheck", "The checks of a template version.", {
  StructuralLint: "Reads the files of the template and its configuration.",
  ParameterSchema: "Compares the parameter schema with the symbols of the template.",
  SampleGeneration: "Renders the template with sample parameters and reads the result.",
});
export type TemplateCheck = ValueOf<typeof templateChecks>;

export const findingSeverities = vocabulary("FindingSeverity", "The weights of a check's finding.", {
  Error: "`dotnet new` refuses the template, or an execution of it would fail or be unsafe.",
  Warning: "The template works, but probably not as its author meant it.",
  Info: "A hint. It is shown when includeInfo is true.",
});
export type FindingSeverity = ValueOf<typeof findingSeverities>;

export const validationOutcomes = vocabulary("ValidationOutcome", "The results of a validation.", {
  Passed: "No check has found an error or a warning.",
  PassedWithWarnings: "The checks have found warnings, but no error.",
  Failed: "A check has found an error.",
});
export type ValidationOutcome = ValueOf<typeof validationOutcomes>;

export const catalogItemKinds = vocabulary("CatalogItemKind", "The kinds of items in the catalog.", {
  Template: "A template.",
  Library: "A library.",
});
export type CatalogItemKind = ValueOf<typeof catalogItemKinds>;

export const catalogTexts = vocabulary("CatalogText", "The texts of an item that a search reads.", {
  Name: "The name of the template, or the package name of the library.",
  Title: "The title.",
  Capability: "A capability of the library.",
  Tag: "A tag, the category or area, or a short name or classification of the content.",
  Description: "The description.",
});
export type CatalogText = ValueOf<typeof catalogTexts>;
