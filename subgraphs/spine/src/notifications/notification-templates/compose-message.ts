import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import { localeChain } from "./locale-chain.js";
import type { LocalizedTexts, MessageTemplate } from "./message-template.js";
import { plainLines, plainText } from "./plain-text.js";
import { readTemplate, rendering, StepCount, type TemplateText } from "./template-text.js";

/** The rendered message, as text that is not HTML yet. */
export interface ComposedMessage {
  /** The texts' language tag. */
  readonly locale: string;
  readonly title: string;
  /** Paragraphs with one or more lines. */
  readonly paragraphs: readonly string[];
  readonly link: { readonly label: string; readonly url: string } | undefined;
}

interface ReadTexts {
  readonly subject: TemplateText;
  readonly paragraphs: readonly TemplateText[];
  readonly link: TemplateText | undefined;
}

type Data = Readonly<Record<string, unknown>>;

const maxTitle = 200;
const maxBody = 10_000;
const maxAddress = 2048;

const readTexts = new WeakMap<LocalizedTexts, ReadTexts>();

/** Renders a template in its first available locale. Throws TemplateTextError where the result is too long. */
export function composeMessage(
  template: MessageTemplate,
  data: Data,
  locales: readonly (string | null | undefined)[],
): ComposedMessage {
  return doAtOnce(composition(template, data, locales)).message;
}

/** The message, and the parts and items that were rendered for it. Pauses where there are many. */
export function* composition(
  { texts, linkTo, fallback = "en" }: MessageTemplate,
  data: Data,
  locales: readonly (string | null | undefined)[],
): PausableWork<{ message: ComposedMessage; steps: number }> {
  const locale = localeChain(...locales).find((candidate) => Object.hasOwn(texts, candidate)) ?? fallback;
  const { subject, paragraphs, link } = readOnce(texts[locale]);
  const count = new StepCount();
  let room = maxBody;
  const bodies: string[] = [];
  for (const paragraph of paragraphs) {
    const text = plainLines(yield* rendering(paragraph, data, { maxLength: room, count })).trim();
    room -= text.length;
    bodies.push(text);
  }
  const url = linkTo === undefined ? undefined : webAddress(data[linkTo]);
  const message = {
    locale,
    title: yield* oneLine(subject, data, count),
    paragraphs: bodies.flatMap((body) => body.split(/\n{2,}/)).filter((paragraph) => paragraph !== ""),
    link: link && url !== undefined ? { label: yield* oneLine(link, data, count), url } : undefined,
  };
  return { message, steps: count.steps };
}

function* oneLine(template: TemplateText, data: Data, count: StepCount): PausableWork<string> {
  return plainText(yield* rendering(template, data, { maxLength: maxTitle, count })).trim();
}

/** The message as one text, as a list shows it. */
export const plainBody = ({ paragraphs, link }: Pick<ComposedMessage, "paragraphs" | "link">): string =>
  [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : [])].join("\n\n");

/** A web address in its normal form. Other schemes could run a script where they are followed. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > maxAddress || !URL.canParse(value)) return undefined;
  const { protocol, username, password, href } = new URL(value);
  const isWeb = (protocol === "https:" || protocol === "http:") && username === "" && password === "";
  return isWeb && href.length <= maxAddress ? href : undefined;
}

function readOnce(texts: LocalizedTexts | undefined): ReadTexts {
  if (!texts) throw new Error("The template has no text in the language where its fallback ends");
  const knownTexts = readTexts.get(texts);
  if (knownTexts) return knownTexts;
  const newTexts: ReadTexts = {
    subject: readTemplate(texts.subject),
    paragraphs: texts.paragraphs.map(readTemplate),
    link: texts.link === undefined ? undefined : readTemplate(texts.link),
  };
  readTexts.set(texts, newTexts);
  return newTexts;
}
