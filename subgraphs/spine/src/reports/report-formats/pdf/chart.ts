import type { ReportChart } from "../report/report.js";
import { type Block, type Canvas, drawRule, drawText } from "./block.js";
import { numberText } from "./cell-text.js";
import type { Faces } from "./faces.js";
import { colors, seriesColors, sizes } from "./look.js";
import { readableText } from "./readable-text.js";
import { wrapText } from "./wrap-text.js";

const maxLabels = 400;
const plotHeight = 120;
const titleHeight = 26;
const labelHeight = 26;
const legendHeight = 14;
/** More series have their legend in a separate line. */
const seriesBesideTitle = 3;
/** More labels than these are shown in part. */
const fewLabels = 12;

type Series = ReportChart["series"][number];

/** The plot's place and the way from values and labels to points. */
interface Plot {
  readonly x: number;
  readonly width: number;
  readonly step: number;
  readonly y: (value: number) => number;
}

/** A chart with its title, a legend where it has several series, gridlines, and as many labels as have space. */
export function chartBlock(chart: ReportChart, faces: Faces, width: number): Block {
  const { regular } = faces;
  const labels = chart.labels.slice(0, maxLabels).map((label) => readableText(label, regular));
  const series = chart.series
    .slice(0, seriesColors.length)
    .map(({ name, values }) => ({ name, values: values.slice(0, labels.length) }));
  const scale = scaleOf(series.flatMap(({ values }) => values.filter((value) => value !== null)));
  const plotTop = titleHeight + (series.length > seriesBesideTitle ? legendHeight : 0);
  const height = plotTop + plotHeight + labelHeight;
  return {
    height,
    draw(canvas, top) {
      drawHead(canvas, { title: titleOf(chart), series }, faces, width, top);
      const axis = Math.max(...scale.ticks.map((tick) => regular.widthOf(numberText(tick), sizes.small)));
      const x = sizes.margin + axis + 6;
      const plotWidth = width - axis - 6;
      const bottom = top + plotTop + plotHeight;
      const plot: Plot = {
        x,
        width: plotWidth,
        step: plotWidth / Math.max(labels.length, 1),
        y: (value) => bottom - ((value - scale.low) / (scale.high - scale.low)) * plotHeight,
      };
      drawGrid(canvas, scale, plot, faces);
      if (chart.kind === "bar") drawBars(canvas, series, plot);
      else drawLines(canvas, series, plot);
      drawLabels(canvas, labels, plot, faces, bottom);
    },
  };
}

function titleOf({ title, labels, series }: ReportChart): string {
  const limitNotes = [
    ...(labels.length > maxLabels ? [`the first ${maxLabels} of ${labels.length} labels`] : []),
    ...(series.length > seriesColors.length ? [`the first ${seriesColors.length} of ${series.length} series`] : []),
  ];
  return [...limitNotes, title].join(": ");
}

function drawHead(
  canvas: Canvas,
  { title, series }: { readonly title: string; readonly series: readonly Series[] },
  { regular, bold }: Faces,
  width: number,
  top: number,
): void {
  const head = { face: bold, size: sizes.text, color: colors.text };
  const beside = series.length <= seriesBesideTitle;
  const [line = ""] = wrapText(readableText(title, bold), head, beside ? width * 0.45 : width, 1);
  drawText(canvas, line, head, sizes.margin, top + 2);
  if (series.length < 2) return;
  const legend = { face: regular, size: sizes.small, color: colors.quiet };
  const most = beside ? 90 : width / series.length - 20;
  const names = series.map(({ name }) => wrapText(readableText(name, regular), legend, most, 1)[0] ?? "");
  const y = top + 3.5 + (beside ? 0 : legendHeight);
  let x = sizes.margin;
  if (beside) x += width - names.reduce((sum, name) => sum + regular.widthOf(name, sizes.small) + 20, -8);
  for (const [index, name] of names.entries()) {
    canvas.rect(x, y + 1, 6, 6).fill(seriesColors[index] ?? colors.text);
    drawText(canvas, name, legend, x + 9, y);
    x += regular.widthOf(name, sizes.small) + 20;
  }
}

function drawGrid(canvas: Canvas, { ticks }: Scale, { x, width, y }: Plot, { regular }: Faces): void {
  const style = { face: regular, size: sizes.small, color: colors.quiet };
  for (const tick of ticks) {
    const text = numberText(tick);
    drawRule(canvas, { x, y: y(tick), width, color: tick === 0 ? colors.rule : colors.faintRule });
    drawText(canvas, text, style, x - 6 - regular.widthOf(text, sizes.small), y(tick) - sizes.small * 0.6);
  }
}

function drawBars(canvas: Canvas, series: readonly Series[], { x, step, y }: Plot): void {
  const group = Math.min(step * 0.72, 46 * series.length);
  const bar = group / Math.max(series.length, 1);
  for (const [index, { values }] of series.entries()) {
    for (const [label, value] of values.entries()) {
      if (value === null || value === 0) continue;
      const barLeft = x + label * step + (step - group) / 2 + index * bar;
      // a small value is a thin line, since only zero has no bar
      const length = Math.max(Math.abs(y(value) - y(0)), 0.6);
      canvas.rect(barLeft, value > 0 ? y(0) - length : y(0), bar * 0.92, length);
    }
    canvas.fill(seriesColors[index] ?? colors.text);
  }
}

function drawLines(canvas: Canvas, series: readonly Series[], { x, step, y }: Plot): void {
  canvas.lineJoin("round").lineCap("round");
  for (const [index, { values }] of series.entries()) {
    const color = seriesColors[index] ?? colors.text;
    let open = false;
    for (const [label, value] of values.entries()) {
      const at = x + (label + 0.5) * step;
      if (value === null) open = false;
      else if (open) canvas.lineTo(at, y(value));
      else canvas.moveTo(at, y(value));
      open = value !== null;
    }
    canvas.lineWidth(1.3).strokeColor(color).stroke();
    if (step < 12) continue;
    for (const [label, value] of values.entries()) {
      if (value !== null) canvas.circle(x + (label + 0.5) * step, y(value), 1.8).fill(color);
    }
  }
  canvas.lineJoin("miter").lineCap("butt");
}

/** All labels, or every n-th where they are many, so that none covers another. */
function drawLabels(
  canvas: Canvas,
  labels: readonly string[],
  { x, step }: Plot,
  { regular }: Faces,
  top: number,
): void {
  const style = { face: regular, size: sizes.small, color: colors.quiet };
  const widest = Math.max(...labels.map((label) => regular.widthOf(label, sizes.small)), 0);
  const every = labels.length <= fewLabels ? 1 : Math.ceil((Math.min(widest, 110) + 8) / step);
  for (const [index, label] of labels.entries()) {
    if (index % every !== 0) continue;
    for (const [line, text] of wrapText(label, style, step * every - 6, 2).entries()) {
      const textLeft = x + (index + 0.5) * step - regular.widthOf(text, sizes.small) / 2;
      drawText(canvas, text, style, Math.max(textLeft, sizes.margin), top + 4 + line * sizes.small * 1.2);
    }
  }
}

/** The axis for a chart's values: its ends are multiples of its step. */
interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** A scale that includes zero, with about four steps. A step is 1, 2 or 5 times a power of ten. */
export function scaleOf(values: readonly number[]): Scale {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const step = roundStep((most - least || 4) / 4);
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: last * step, ticks };
}

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= step * 0.999) ?? 10;
  return factor * power;
}
