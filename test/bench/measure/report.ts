/** A value that was measured, to be read by people and programs. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** The limit or aim, if any. */
  goal?: string;
}

/** Different figures of one scenario. */
export interface Section {
  title: string;
  figures: Figure[];
}

/** The same figures of several scenarios. */
export interface Comparison {
  title: string;
  columns: { name: string; unit: string; goal?: string }[];
  /** Values in the order of the columns. */
  rows: { name: string; values: number[] }[];
}

/** The figures as a table in Markdown, which also reads well on a terminal. */
export function formatReport(report: Section | Comparison): string {
  return "figures" in report ? formatSection(report) : formatComparison(report);
}

function formatSection({ title, figures }: Section): string {
  const rows = figures.map(({ name, value, unit, goal }) => [
    name,
    formatValue(value, unit),
    goal ?? "",
  ]);
  return formatTable(title, ["", "", "goal"], rows);
}

function formatComparison({ title, columns, rows }: Comparison): string {
  const head = columns.map(({ name, goal }) => (goal === undefined ? name : `${name} (${goal})`));
  return formatTable(
    title,
    ["", ...head],
    rows.map(({ name, values }) => [
      name,
      ...values.map((value, column) => formatValue(value, columns[column]?.unit ?? "")),
    ]),
  );
}

function formatTable(title: string, head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [`### ${title}`, "", line(head), rule, ...rows.map(line), ""].join("\n");
}

function formatValue(value: number, unit: string): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
    maximumFractionDigits: digits,
  });
  return `${text} ${unit}`.trim();
}
