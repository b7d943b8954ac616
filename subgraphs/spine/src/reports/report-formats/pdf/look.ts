/** Sizes in points. */
export const sizes = {
  margin: 42,
  footer: 22,
  title: 19,
  text: 9,
  cell: 7.5,
  small: 7,
  line: 1.38,
  cellPadding: 5,
  rowPadding: 3,
} as const;

/** Colors for texts, rules and grounds. */
export const colors = {
  text: "#1c2733",
  quiet: "#5b6875",
  accent: "#0b4f8a",
  rule: "#c9d2db",
  faintRule: "#e4e9ee",
  headerGround: "#e8eef5",
  band: "#f6f8fa",
  note: "#9a5b00",
  noteGround: "#fff6e5",
} as const;

/** Colors for series that people with color blindness can tell apart (Okabe and Ito). */
export const seriesColors = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9"] as const;
