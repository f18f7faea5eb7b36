export const SECONDS_PER_DAY = 86_400;

/** Returns the UTC day of unix seconds as `yyyy-mm-dd`. */
export function utcDay(timestampSeconds: number): string {
  return new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
}

/** Returns the unix seconds of the midnight that begins a UTC day `yyyy-mm-dd`; undefined for an invalid date. */
export function parseUtcDay(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const milliseconds = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  const seconds = milliseconds / 1000;
  return utcDay(seconds) === day ? seconds : undefined;
}

/** Formats whole seconds, less than 100 hours, as `hh:mm:ss`. */
export function clockTime(seconds: number): string {
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}
