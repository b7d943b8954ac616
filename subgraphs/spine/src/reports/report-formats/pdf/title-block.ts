import type { Report } from "../report/report.js";
import { type Block, drawRule, drawText } from "./block.js";
import { numberText } from "./cell-text.js";
import type { Faces } from "./faces.js";
import { colors, sizes } from "./look.js";
import { readableText } from "./readable-text.js";
import { wrapText } from "./wrap-text.js";

const gap = 14;

/** The title, the parameters with the number of rows, and a rule below them. */
export function titleBlock(report: Report, rowCount: number, { regular, bold }: Faces, width: number): Block {
  const title = { face: bold, size: sizes.title, color: colors.text };
  const label = { face: regular, size: sizes.text, color: colors.quiet };
  const value = { face: bold, size: sizes.text, color: colors.text };
  const lines = wrapText(readableText(report.title, bold), title, width, 2);
  const facts = [...Object.entries(report.parameters), ["rows", numberText(rowCount)]].map(
    ([name = "", text = ""]) => ({
      name: readableText(name, regular),
      text: wrapText(readableText(text, bold), value, width / 2, 1)[0] ?? "",
    }),
  );
  const titleHeight = lines.length * sizes.title * sizes.line;
  const factHeight = sizes.text * sizes.line;
  const places = flow(
    facts.map(({ name, text }) => regular.widthOf(`${name} `, sizes.text) + bold.widthOf(text, sizes.text)),
    width,
  );
  const factLines = (places.at(-1)?.line ?? 0) + 1;
  const height = titleHeight + factLines * factHeight + 8;
  return {
    height: height + gap,
    draw(canvas, top) {
      for (const [index, line] of lines.entries())
        drawText(canvas, line, title, sizes.margin, top + index * sizes.title * sizes.line);
      for (const [index, { name, text }] of facts.entries()) {
        const { x = 0, line = 0 } = places[index] ?? {};
        const y = top + titleHeight + 2 + line * factHeight;
        drawText(canvas, name, label, sizes.margin + x, y);
        drawText(canvas, text, value, sizes.margin + x + regular.widthOf(`${name} `, sizes.text), y);
      }
      drawRule(canvas, { x: sizes.margin, y: top + height, width, color: colors.accent, thickness: 1.2 });
    },
  };
}

/** Places of parts of these widths, one after the other, in as many lines as they need. */
function flow(widths: readonly number[], available: number): { readonly x: number; readonly line: number }[] {
  let x = 0;
  let line = 0;
  return widths.map((width) => {
    if (x > 0 && x + width > available) {
      x = 0;
      line += 1;
    }
    const place = { x, line };
    x += width + gap;
    return place;
  });
}

/** A sentence for the reader, on a ground of its own. */
export function noteBlock(note: string, { regular }: Faces, width: number): Block {
  const style = { face: regular, size: sizes.text, color: colors.note };
  const padding = 7;
  const lineHeight = sizes.text * sizes.line;
  const lines = wrapText(readableText(note, regular), style, width - 2 * padding, 4);
  const height = lines.length * lineHeight + padding;
  return {
    height: height + 10,
    draw(canvas, top) {
      canvas.rect(sizes.margin, top, width, height).fill(colors.noteGround);
      canvas.rect(sizes.margin, top, 2.5, height).fill(colors.note);
      for (const [index, line] of lines.entries())
        drawText(canvas, line, style, sizes.margin + padding + 2, top + padding / 2 + 0.8 + index * lineHeight);
    },
  };
}

/** A sentence in place of the rows of an empty table. */
export function emptyBlock({ regular }: Faces): Block {
  const style = { face: regular, size: sizes.text, color: colors.quiet };
  return {
    height: 24,
    draw: (canvas, top) =>
      drawText(canvas, "The period has no rows.", style, sizes.margin + sizes.cellPadding, top + 8),
  };
}
