/** Lines of a table with a column for each runtime and a row for each case. */
export function table(columns: readonly string[], rows: readonly (readonly [string, readonly string[]])[]): string {
  const first = Math.max(...rows.map(([title]) => title.length));
  const widths = columns.map((column) => column.length);
  const line = (title: string, cells: readonly string[]): string =>
    [title.padEnd(first), ...cells.map((cell, n) => cell.padEnd(widths[n] ?? 0))].join("  ").trimEnd();
  return [line("", columns), ...rows.map(([title, cells]) => line(title, cells))].join("\n");
}
