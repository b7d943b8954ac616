import type { EvaluatorName } from "../conditions/evaluate-condition.js";
import type { ConditionalStyle } from "./comment-styles.js";

/** The default processing for a file kind, when the template defines no operations for it. */
export interface FileKind {
  readonly glob: string;
  readonly style: ConditionalStyle;
  readonly flagPrefix: string;
  readonly evaluator: EvaluatorName;
}

/** The defaults for files that match no table row. */
export const otherFiles: FileKind = { glob: "", style: "cLine", flagPrefix: "//", evaluator: "C++" };

/** The defaults for a template's glob that is not in the table: no conditions and no flags. */
export const unknownFiles: FileKind = { glob: "", style: "none", flagPrefix: "", evaluator: "C++" };

const rows = (
  style: ConditionalStyle,
  flagPrefix: string,
  globs: string,
  evaluator: EvaluatorName = "C++",
): FileKind[] => globs.split(" ").map((glob) => ({ glob: `**/${glob}`, style, flagPrefix, evaluator }));

/** The first row that matches is used. The order and the globs come from dotnet new. */
export const fileKinds: readonly FileKind[] = [
  ...rows("cLine", "//", "*.js *.es *.es6 *.ts *.json *.jsonld *.hjson *.json5 *.geojson *.topojson *.bowerrc *.npmrc"),
  ...rows("cLine", "//", "*.job *.postcssrc *.babelrc *.csslintrc *.eslintrc *.jade-lintrc *.pug-lintrc *.jshintrc"),
  ...rows("cLine", "//", "*.stylelintrc *.yarnrc"),
  ...rows("cBlock", "/*", "*.css.min *.css"),
  ...rows("razor", "@*", "*.cshtml *.razor"),
  ...rows("razor", "@*", "*.vbhtml", "VB"),
  ...rows("cNoComment", "//", "*.cs *.fs *.c *.cpp *.cxx *.h *.hpp *.hxx *.cake"),
  ...rows("msbuild", "<!--/", "*.*proj *.*proj.user *.pubxml *.pubxml.user *.msbuild *.targets *.props", "MSBUILD"),
  ...rows("xml", "<!--", "*.svg *.*htm *.*html *.md *.jsp *.asp *.aspx app.config web.config web.*.config"),
  ...rows("xml", "<!--", "packages.config nuget.config *.nuspec *.xslt *.xsd *.vsixmanifest *.vsct *.storyboard"),
  ...rows("xml", "<!--", "*.axml *.plist *.xib *.strings"),
  ...rows("rem", "rem --:", "*.bat *.cmd"),
  ...rows("hash", "#--", "nginx.conf robots.txt *.sh *.ps1"),
  ...rows("haml", "-#", "*.haml"),
  ...rows("jsx", "{/*", "*.jsx *.tsx"),
  ...rows("xml", "<!--", "*.xml *.appxmanifest *.resx"),
  ...rows("vb", "'", "*.bas *.vb", "VB"),
  ...rows("xml", "<!--", "*.xaml *.axaml *.slnx"),
  ...rows("hash", "#-", "*.sln *.yaml *.yml Dockerfile .editorconfig .gitattributes .gitignore .dockerignore"),
];
