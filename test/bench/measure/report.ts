/** A value that was measured, to be read by people and programs. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** What it is to stay below or reach, if anything. */
  goal?: string;
}

/** Figures of one scenario. */
export interface Section {
  title: string;
  figures: Figure[];
}

/** The figures as a table in Markdown, which also reads well on a terminal. */
export function formatSection({ title, figures }: Section): string {
  const rows = figures.map(({ name, value, unit, goal }) => [
    name,
    `${formatValue(value)} ${unit}`.trim(),
    goal ?? "",
  ]);
  const head = ["", "", "goal"];
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [`### ${title}`, "", line(head), rule, ...rows.map(line), ""].join("\n");
}

function formatValue(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
    maximumFractionDigits: digits,
  });
}
