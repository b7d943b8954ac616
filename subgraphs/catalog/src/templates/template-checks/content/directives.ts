import type { ConditionalStyle } from "@factory/template-engine/comment-styles";
import { fileKinds, otherFiles } from "@factory/template-engine/file-kinds";
import { parseGlob } from "@factory/template-engine/glob";

interface Directive {
  keyword: "if" | "elseif" | "else" | "endif";
  /** The rest of the line behind the keyword. */
  rest: string;
  line: number;
  column: number;
  /** True when the comment sign stands before it, which makes it a directive beyond doubt. */
  signed: boolean;
}

const words = "if|elseif|elif|else|endif";

/** The start of a directive in each style: group 1 is the comment sign, 2 the keyword, 3 the rest of the line. */
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
  // the hash is also the comment sign
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

/** The comment style that the engine uses for a file, by its path. */
export function styleOf(path: string): ConditionalStyle {
  return styles.find(({ glob }) => glob.matches(path))?.style ?? otherFiles.style;
}

/** A text's conditional directives in file order, without those where a flag switches conditions off. */
export function directivesOf(path: string, text: string): Directive[] {
  const spelling = spellings[styleOf(path)];
  if (!spelling || !text.includes("#")) return [];
  const directives: Directive[] = [];
  let off = false;
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    const flag = /([-+]):cnd\b/.exec(line);
    if (flag) off = flag[1] === "-";
    if (off || !line.includes("#")) return;
    for (const match of line.matchAll(spelling)) {
      const [, sign = "", word = "", rest = ""] = match;
      directives.push({
        keyword: keywordOf(word),
        rest: rest.trim(),
        line: index + 1,
        column: match.index + 1,
        signed: sign.trim() !== "",
      });
    }
  });
  return directives;
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

/** Whether the engine acts on a directive. A keyword without its comment sign may be prose in a comment. */
function counts({ keyword, signed, rest }: Directive, style: ConditionalStyle, open: boolean): boolean {
  if (signed || style === "cNoComment" || style === "vb" || style === "cLine") return true;
  if (style === "hash") return open || keyword === "if" || rest === "";
  // inside block comments the sign may be left out only in a block that is open
  return open && keyword !== "if";
}

/** A text's directives. */
interface ReadDirectives {
  /** The directives that the engine acts on. */
  readonly acting: readonly Directive[];
  /** The first directive without its counterpart, for example an #if without #endif. */
  readonly stray: Directive | undefined;
}

/** Reads a text's directives as the engine does. */
export function readDirectives(path: string, text: string): ReadDirectives {
  const style = styleOf(path);
  const open: Directive[] = [];
  const acting: Directive[] = [];
  let stray: Directive | undefined;
  for (const directive of directivesOf(path, text)) {
    if (!counts(directive, style, open.length > 0)) continue;
    if (directive.keyword === "if") open.push(directive);
    else if (open.length === 0) {
      stray ??= directive;
      continue;
    } else if (directive.keyword === "endif") open.pop();
    acting.push(directive);
  }
  return { acting, stray: stray ?? open.at(-1) };
}
