import type { ConditionalStyle } from "@factory/template-engine/comment-styles";
import { fileKinds, otherFiles } from "@factory/template-engine/file-kinds";
import { parseGlob } from "@factory/template-engine/glob";

export interface Directive {
  keyword: "if" | "elseif" | "else" | "endif";
  /** What follows the keyword on its line. */
  rest: string;
  line: number;
  column: number;
  /** Written with the comment sign that makes it one beyond doubt. */
  signed: boolean;
}

const words = "if|elseif|elif|else|endif";

/** The start of a directive per style: group 1 is the comment sign, 2 the keyword, 3 the rest of the line. */
const spellings: Readonly<Record<ConditionalStyle, RegExp | undefined>> = {
  none: undefined,
  cLine: atLineStart("//|////"),
  cNoComment: atLineStart(""),
  cBlock: anywhere("/\\*"),
  razor: anywhere("@\\*"),
  msbuild: anywhere("<!--"),
  xml: anywhere("<!--"),
  jsx: anywhere("\\{/\\*"),
  rem: atLineStart("rem |rem rem "),
  haml: atLineStart("-#|-#-#"),
  // the comment sign is the hash itself
  hash: atLineStart("#?"),
  vb: atLineStart("'?", "If|ElseIf|Else|End If"),
};

const styles = fileKinds.map(({ glob, style }) => ({ glob: parseGlob(glob, false), style }));

function atLineStart(sign: string, keywords = words): RegExp {
  return new RegExp(`(?<=^[ \\t]*)(${sign})#(${keywords})(?![\\p{L}\\p{Nd}_])(?=(.*))`, "gu");
}

function anywhere(sign: string): RegExp {
  return new RegExp(`(${sign}|)#(${words})(?![\\p{L}\\p{Nd}_])(?=(.*))`, "gu");
}

export function styleOf(path: string): ConditionalStyle {
  return styles.find(({ glob }) => glob.matches(path))?.style ?? otherFiles.style;
}

/** Conditional directives of a text in the order of the file; those between switched-off flags are left out. */
export function directivesOf(path: string, text: string): Directive[] {
  const spelling = spellings[styleOf(path)];
  if (!spelling || !text.includes("#")) return [];
  const found: Directive[] = [];
  let off = false;
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const flag = /([-+]):cnd\b/.exec(line);
    if (flag) off = flag[1] === "-";
    if (off || !line.includes("#")) return;
    for (const match of line.matchAll(spelling)) {
      const [, sign = "", word = "", rest = ""] = match;
      found.push({
        keyword: keywordOf(word),
        rest: rest.trim(),
        line: index + 1,
        column: match.index + 1,
        signed: sign.trim() !== "",
      });
    }
  });
  return found;
}

function keywordOf(word: string): Directive["keyword"] {
  switch (word.toLowerCase()) {
    case "if":
      return "if";
    case "else":
      return "else";
    case "elseif":
    case "elif":
      return "elseif";
    default:
      return "endif";
  }
}

/** Whether a stray keyword is the engine's: a bare one inside a block style or a comment line may be prose. */
function counts({ keyword, signed, rest }: Directive, style: ConditionalStyle, open: boolean): boolean {
  if (signed || style === "cNoComment" || style === "vb" || style === "cLine") return true;
  if (style === "hash") return open || keyword === "if" || rest === "";
  // inside block comments only what continues an open block is read without the sign
  return open && keyword !== "if";
}

export interface ReadDirectives {
  /** Those that the engine acts on. */
  readonly acting: readonly Directive[];
  /** The first that has no counterpart. */
  readonly stray: Directive | undefined;
}

export function readDirectives(path: string, text: string): ReadDirectives {
  const style = styleOf(path);
  const open: Directive[] = [];
  const acting: Directive[] = [];
  let stray: Directive | undefined;
  for (const one of directivesOf(path, text)) {
    if (!counts(one, style, open.length > 0)) continue;
    if (one.keyword === "if") open.push(one);
    else if (open.length === 0) {
      stray ??= one;
      continue;
    } else if (one.keyword === "endif") open.pop();
    acting.push(one);
  }
  return { acting, stray: stray ?? open.at(-1) };
}
